import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  completeRun,
  crawled,
  NO_GUARD,
  sendAll,
  shopUrl,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { beginRun, endRun } from '../runs/runs.ts';
import { judgeRun } from './judge-run.ts';
import { planRun } from './make-plan.ts';

const run = (name: string) => name as RunId;
const OTHER = { ...WATCH, id: 'other' as WatchId };
const input = { account: ACCOUNT, watch: WATCH };
const guard = { ...NO_GUARD, maxGonePercent: 50 };
const pages = (from: number, count: number) => Array.from({ length: count }, (_, n) => `p/${from + n}`);

describe('the URLs that were known before', () => {
  testLedger('are none that moved here, although another watch has bought them', async (ledger) => {
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await crawled(ledger, 'o1', { b: pages(100, 20) }, { watch: OTHER.id });
    await planRun(ledger, run('o1'), { account: ACCOUNT, watch: OTHER });
    await crawled(ledger, 'r2', { a: [...pages(6, 4), ...pages(100, 20)] });
    const held = await judgeRun(ledger, run('r2'), guard, { input });
    assert.deepEqual(held?.reasons, [{ code: 'max_gone_percent', urls: 6, known: 10, limit: 50 }]);
  });

  testLedger('are none that only a plan has shown, although they are gone again', async (ledger) => {
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await crawled(ledger, 'look', { a: pages(0, 12) });
    await endRun(ledger, run('look'), 'previewed');
    await crawled(ledger, 'r2', { a: pages(0, 4) });
    const held = await judgeRun(ledger, run('r2'), guard, { input });
    assert.deepEqual(held?.reasons, [{ code: 'max_gone_percent', urls: 6, known: 10, limit: 50 }]);
  });

  testLedger('are none that an earlier run found and that were rejected', async (ledger) => {
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await completeRun(ledger, 'r2', { a: pages(0, 20) });
    await crawled(ledger, 'r3', { a: pages(6, 14) });
    const held = await judgeRun(ledger, run('r3'), guard, { input });
    assert.deepEqual(held?.reasons, [{ code: 'max_gone_percent', urls: 6, known: 10, limit: 50 }]);
  });

  testLedger('are none after a first run that was rejected: whatever is new is beyond a percentage', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(0, 6) });
    assert.equal(await judgeRun(ledger, run('r1'), { ...guard, maxNewPercent: 20 }), null, 'of a first run it is none');
    await endRun(ledger, run('r1'), 'finished');
    await crawled(ledger, 'r2', { a: pages(0, 15) });
    const held = await judgeRun(ledger, run('r2'), { ...guard, maxNewPercent: 20 });
    assert.deepEqual(held?.reasons, [{ code: 'max_new_percent', urls: 15, known: 0, limit: 20 }]);
  });

  testLedger('are those that it had before it was renamed, where it has its name back', async (ledger) => {
    const named = (watch: WatchId) => ({ watch, configured: [watch] });
    await crawled(ledger, 'r1', { a: pages(0, 10) }, named(WATCH.id));
    await planRun(ledger, run('r1'), input);
    await endRun(ledger, run('r1'), 'finished');
    await sendAll(ledger);
    await crawled(ledger, 'o1', { a: pages(0, 10) }, named(OTHER.id));
    await planRun(ledger, run('o1'), { account: ACCOUNT, watch: OTHER });
    await endRun(ledger, run('o1'), 'finished');
    await crawled(ledger, 'r2', { a: pages(0, 12) }, named(WATCH.id));
    const held = await judgeRun(ledger, run('r2'), { ...NO_GUARD, maxNewPercent: 11 }, { input });
    assert.deepEqual(held?.reasons, [{ code: 'max_new_percent', urls: 2, known: 10, limit: 11 }]);
  });
});

describe('the examples of a hold', () => {
  testLedger('are of what is due, then of what is gone', async (ledger) => {
    await completeRun(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await crawled(ledger, 'r2', { a: [...pages(8, 2), 'fresh'] });
    const held = await judgeRun(ledger, run('r2'), guard, { input });
    const [first, ...gone] = held?.sample ?? [];
    assert.equal(first, shopUrl('fresh'));
    assert.ok(gone.length > 0 && gone.every((url) => pages(0, 8).some((page) => shopUrl(page) === url)), gone.join());
  });
});

describe('a run that was given up', () => {
  testLedger('after it planned was the first one: the next is judged by what it found', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(0, 10) });
    await planRun(ledger, run('r1'), input);
    await endRun(ledger, run('r1'), 'abandoned');
    const diff = await crawled(ledger, 'r2', { a: pages(8, 3) });
    assert.deepEqual([diff.firstRun, diff.new, diff.gone], [false, 1, 8]);
    const held = await judgeRun(ledger, run('r2'), guard, { input });
    assert.deepEqual(held?.reasons, [{ code: 'max_gone_percent', urls: 8, known: 10, limit: 50 }]);
  });

  testLedger('before it planned was none: the next one adopts as the first', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(0, 10) }, { firstRun: 'baseline' });
    await endRun(ledger, run('r1'), 'abandoned');
    const sources = ['a'];
    const start = { watch: WATCH.id, account: ACCOUNT.id, sources, scope: '', firstRun: 'baseline' } as const;
    assert.deepEqual(await beginRun(ledger, { ...start, run: run('r2') }), {
      kind: 'begun',
      firstRun: true,
      again: false,
    });
  });
});
