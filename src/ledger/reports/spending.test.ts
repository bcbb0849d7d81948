import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Micros, ZERO } from '../../../contract/money.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  HOUR,
  sendAll,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import { getDayStart } from '../journal/days.ts';
import { bookPurchase } from '../journal/open-money.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { eachIndexState } from './index-states.ts';
import { listSpending } from './spending.ts';
import { listUsualRuns } from './usual-run.ts';

async function buy(ledger: TestLedger, run: string, pages: readonly string[]): Promise<void> {
  await crawled(ledger, run, { 'https://shop.example/sitemap.xml': pages });
  await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
  await sendAll(ledger);
  await endRun(ledger, run as RunId, 'finished');
}

describe('what was spent', () => {
  testLedger('is summed by watch and day or month, index checks apart, unreported charges counted', async (ledger) => {
    await buy(ledger, 'first', ['a']);
    ledger.pass(HOUR);
    await buy(ledger, 'later', ['a', 'b']);
    ledger.pass(DAY);
    await buy(ledger, 'second', ['a', 'b', 'c']);
    const whose = { account: ACCOUNT.id, watchId: (await findWatch(ledger.db, WATCH.id))!, runId: null };
    const day = (at: number) => ({ day: getDayStart(at), at, atLeast: ZERO });
    const check = { to: 'charged', amount: 1_500_000 as Micros, urls: 3, ...day(ledger.now()) } as const;
    await bookPurchase(ledger.db, { ...whose, kind: 'check', id: 77 }, check);
    const unknown = { to: 'assumed', amount: null, urls: 4, ...day(ledger.now() + 40 * DAY) } as const;
    await bookPurchase(ledger.db, { ...whose, kind: 'batch', id: 78 }, unknown);
    const toRow = ({
      watch,
      from,
      urls,
      submissions,
      checkedUrls,
      checks,
      unknownChargeUrls,
    }: (typeof days)[number]) => [
      watch,
      new Date(from).toISOString().slice(0, 10),
      urls,
      submissions,
      checkedUrls,
      checks,
      unknownChargeUrls,
    ];
    const days = await listSpending(ledger, 'day', 0);
    assert.deepEqual(days.map(toRow), [
      ['shop', '2026-02-25', 4, 0, 0, 0, 4],
      ['shop', '2026-01-16', 1, 250_000, 3, 1_500_000, 0],
      ['shop', '2026-01-15', 2, 500_000, 0, 0, 0],
    ]);
    assert.deepEqual((await listSpending(ledger, 'month', 0)).map(toRow), [
      ['shop', '2026-02-01', 4, 0, 0, 0, 4],
      ['shop', '2026-01-01', 3, 750_000, 3, 1_500_000, 0],
    ]);
    assert.equal((await listSpending(ledger, 'day', Date.UTC(2026, 0, 16))).length, 2);
  });
});

describe('what a run usually finds', () => {
  testLedger('is the median of complete runs after the first', async (ledger) => {
    const pages: string[] = [];
    assert.deepEqual((await listUsualRuns(ledger, [WATCH.id]))(WATCH.id), { runs: 0, new: 0, changed: 0 });
    for (const [at, added] of [100, 4, 30, 6].entries()) {
      for (let page = 0; page < added; page++) pages.push(`${at}-${page}`);
      await completeRun(ledger, `run-${at}`, { 'https://shop.example/sitemap.xml': pages });
      ledger.pass(DAY);
    }
    assert.deepEqual((await listUsualRuns(ledger, [WATCH.id]))(WATCH.id), { runs: 3, new: 6, changed: 0 });
  });
});

describe('the index states of a watch', () => {
  testLedger('say what the last check found, and that a URL was not checked', async (ledger) => {
    await buy(ledger, 'first', ['a', 'b', 'c', 'd']);
    const row = (url: string, found: number | null, last: number | null, misses: number) => sql`
      INSERT INTO check_queue (url_id, watch_id, completed_at, next_at, checks, misses, last_check_at, found_at)
      SELECT id, watch_id, 1, 9, 2, CAST(${misses} AS INTEGER), CAST(${last} AS BIGINT), CAST(${found} AS BIGINT) FROM urls WHERE url = ${shopUrl(url)}`;
    await ledger.db.run(row('a', 5, 5, 0));
    await ledger.db.run(row('b', null, 5, 2));
    await ledger.db.run(row('c', null, 5, 0));
    await ledger.db.run(row('d', null, null, 0));
    const states: [string, string | null][] = [];
    for await (const { url, result } of eachIndexState(ledger, WATCH.id)) states.push([url, result]);
    assert.deepEqual(states, [
      [shopUrl('a'), 'found'],
      [shopUrl('b'), 'not-found'],
      [shopUrl('c'), 'unknown'],
      [shopUrl('d'), null],
    ]);
  });
});
