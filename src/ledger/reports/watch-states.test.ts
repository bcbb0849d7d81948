import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  NO_GUARD,
  QUARTER,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { AccountId, RunId, WatchId } from '../../submission/ids.ts';
import { judgeRun } from '../plans/judge-run.ts';
import { endRun } from '../runs/runs.ts';
import { listWatchStates } from './watch-states.ts';

const SITEMAP = 'https://shop.example/sitemap.xml';
const SHOP = { id: WATCH.id, account: 'main' as AccountId };
const BLOG = { id: 'blog' as WatchId, account: 'main' as AccountId };

describe('the states of watches', () => {
  testLedger('have the last run that did something, not a preview', async (ledger) => {
    await completeRun(ledger, 'real', { [SITEMAP]: ['a'] });
    ledger.pass(DAY);
    await crawled(ledger, 'preview', { [SITEMAP]: ['a', 'b'] });
    await endRun(ledger, 'preview' as RunId, 'previewed');
    const { states } = await listWatchStates(ledger, [SHOP]);
    assert.deepEqual([states[0]?.last?.run.run, states[0]?.last?.summary.found], ['real', 1]);
  });

  testLedger('say since when a watch fails, how often, and which sitemap is not read', async (ledger) => {
    await completeRun(ledger, 'good', { [SITEMAP]: ['a'] });
    ledger.pass(DAY);
    const since = ledger.now();
    for (let at = 0; at < 40; at++) {
      await completeRun(ledger, `bad-${at}`, { [SITEMAP]: 'broken' }, { complete: false });
      ledger.pass(60_000);
    }
    const { states } = await listWatchStates(ledger, [SHOP, BLOG]);
    const [shop, blog] = states;
    assert.deepEqual([shop?.figures.failedRuns, shop?.figures.failingSince], [40, since]);
    assert.deepEqual(
      shop?.unread.map(({ sitemap, message }) => [sitemap, message]),
      [[SITEMAP, 'status 500']],
    );
    assert.deepEqual([blog?.last, blog?.figures.failedRuns, blog?.unread], [null, 0, []], 'a watch that never ran');
  });

  testLedger('have what an approval buys, also of a watch that left the configuration', async (ledger) => {
    await crawled(ledger, 'held', { [SITEMAP]: ['a', 'b'] });
    const input = { account: ACCOUNT, watch: WATCH };
    await judgeRun(ledger, 'held' as RunId, { ...NO_GUARD, maxNew: 1 }, { input });
    const { states, removed } = await listWatchStates(ledger, [BLOG]);
    assert.deepEqual([states.length, removed.map(({ id }) => id)], [1, ['shop']]);
    assert.deepEqual(removed[0]?.held[0]?.forecast, { urls: 2, cost: 2 * QUARTER, allowed: 2 });
  });
});
