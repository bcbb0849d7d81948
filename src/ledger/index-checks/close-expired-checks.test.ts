import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  crawled,
  DAY,
  HOUR,
  sendAll,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { recordPoll } from '../jobs/record-poll.ts';
import { settleJob } from '../jobs/settle-job.ts';
import { getDayStart } from '../journal/days.ts';
import { sumCommitted, sumCounted } from '../journal/sums.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { beginCheck } from './begin-check.ts';
import { endExpiredChecks } from './close-expired-checks.ts';
import { recordCheck } from './record-check.ts';

const policy = { afterMs: DAY, everyMs: 30 * DAY, stopWhenFound: true, sample: 1, perDay: null, resubmitAfter: null };
const asking = { account: ACCOUNT, watch: WATCH.id, spend: WATCH.spend, policy };

/** A check of two URLs is open. */
async function openCheck(ledger: TestLedger) {
  await crawled(ledger, 'r1', { a: ['1', '2'] });
  await planRun(ledger, 'r1' as RunId, { account: ACCOUNT, watch: WATCH });
  for (const reference of await sendAll(ledger)) {
    await recordPoll(ledger, ACCOUNT.id, reference, { state: 'completed', terminalStates: ['completed'] });
    await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: { times: 0, afterMs: 0 } });
  }
  await endRun(ledger, 'r1' as RunId, 'finished');
  ledger.pass(DAY);
  const begun = await beginCheck(ledger, asking);
  assert.ok(begun.kind === 'send');
  return begun;
}

/** What of checks counts: today, of the account, in micro-lira. */
async function count(ledger: TestLedger) {
  const whose = { account: ACCOUNT.id, watchId: 0 };
  const open = await sumCommitted(ledger.db, { ...whose, runId: null, count: 'all' }, ACCOUNT.pricePerUrl);
  const booked = await sumCounted(ledger.db, whose, { now: ledger.now(), since: 'month' });
  return { open: open.account, today: booked.account.day };
}

const unavailable = {
  kind: 'retry',
  why: 'unavailable',
  chargeState: 'none',
  retryAfterMs: HOUR,
  message: 'x',
} as const;

describe('an index-check whose watch asks for no more', () => {
  testLedger('counts until its key expires, and then as charged on the day of its send', async (ledger) => {
    await openCheck(ledger);
    const sentOn = getDayStart(ledger.now());
    ledger.pass(19 * HOUR);
    await endExpiredChecks(ledger, ACCOUNT);
    assert.equal((await count(ledger)).open, 1_000_000, 'it may still be sent again');
    ledger.pass(4 * DAY);
    await endExpiredChecks(ledger, ACCOUNT);
    assert.deepEqual(await count(ledger), { open: 0, today: 0 }, 'nothing of it is of today');
    const entry = await ledger.db.one(sql<{ day: number; amount: number }>`
      SELECT day, amount FROM journal WHERE kind = 'check' AND to_bucket = 'assumed'`);
    assert.deepEqual(entry, { day: sentOn, amount: 1_000_000 });
    const check = await ledger.db.one(sql<{ state: string; in_doubt_since: number | null }>`
      SELECT state, in_doubt_since FROM checks`);
    assert.deepEqual(check, { state: 'stopped', in_doubt_since: null });
  });

  testLedger('is closed by the plan of another watch, which has its room', async (ledger) => {
    await openCheck(ledger);
    const account = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: 1_000_000 as never } };
    const watch = { ...WATCH, id: 'blog' as never };
    const plan = async (run: string) => {
      await crawled(ledger, run, { b: ['11', '12', '13', '14'] }, { watch: watch.id });
      const { urls } = await planRun(ledger, run as RunId, { account, watch });
      await endRun(ledger, run as RunId, 'finished');
      return urls;
    };
    assert.equal(await plan('r2'), 0);
    ledger.pass(2 * DAY);
    assert.equal(await plan('r3'), 4);
  });

  testLedger('that was never sent is taken back, and its URLs are due at once', async (ledger) => {
    const { check } = await openCheck(ledger);
    await recordCheck(ledger, check, { attempt: 1, outcome: unavailable, requestId: null }, policy);
    ledger.pass(21 * HOUR);
    await endExpiredChecks(ledger, ACCOUNT);
    assert.equal((await count(ledger)).open, 0);
    const again = await beginCheck(ledger, asking);
    assert.ok(again.kind === 'send' && again.check !== check && again.urls.length === 2);
  });

  testLedger('waits for as long as its watch said, though another one closed it', async (ledger) => {
    await openCheck(ledger);
    ledger.pass(2 * DAY);
    await endExpiredChecks(ledger, ACCOUNT);
    ledger.pass(29 * DAY);
    assert.equal((await beginCheck(ledger, asking)).kind, 'idle');
    ledger.pass(DAY);
    assert.equal((await beginCheck(ledger, asking)).kind, 'send');
  });
});
