import assert from 'node:assert/strict';
import { describe } from 'node:test';
import {
  ACCOUNT,
  crawled,
  DAY,
  QUARTER,
  sendOne,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { endJob, runCheck } from '../../../test/support/service-results.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId, Reference, RunId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { resolveNeedsReview } from '../batches/resolve-review.ts';
import { recordForeignJobs } from '../jobs/history-hold.ts';
import { recoverJob } from '../jobs/recover.ts';
import { getDayStart } from '../journal/days.ts';
import { planRun } from '../plans/make-plan.ts';
import { type BookedPurchase, listBooked, listBookedJobs, listForeign, listInDoubt } from './audited-purchases.ts';

async function plan(ledger: TestLedger, run: string, pages: readonly string[]): Promise<BatchId> {
  await crawled(ledger, run, { a: pages });
  await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
  await ledger.db.run(sql`UPDATE runs SET ended_at = 1, end_state = 'finished'`);
  return (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
}

/** All that was booked on a day; nothing by its entry. */
const listDay = ({ db }: TestLedger, day: number): Promise<BookedPurchase[]> =>
  listBooked(db, ACCOUNT.id, { since: day, from: day, until: day + DAY, entries: [0, 0] });

const checkPolicy = { afterMs: 0, everyMs: 7 * DAY, stopWhenFound: true, sample: 1, perDay: null, resubmitAfter: null };

describe('the purchases of an audit', () => {
  testLedger('are what the journal has booked on a day, submissions and index-checks', async (ledger) => {
    const day = getDayStart(ledger.now());
    await sendOne(ledger, await plan(ledger, 'r1', ['1', '2']));
    const [batch] = await listDay(ledger, day);
    const { at, entry, ...shown } = batch!;
    assert.deepEqual(shown, {
      ...{ kind: 'batch', id: 1, watch: 'shop', run: 'r1', urls: 2, reference: shown.reference, tag: shown.tag },
      ...{ amount: 2 * QUARTER, counted: 2 * QUARTER, bucket: 'charged', unpriced: 0, day },
      ...{ wasSent: true, wasLeft: false },
    });
    assert.ok(at <= ledger.now() && entry > 0 && shown.reference !== null);
    await endJob(ledger, shown.reference);
    ledger.pass(DAY);
    await runCheck(ledger, checkPolicy, () => 'found');
    const [check] = await listDay(ledger, day + DAY);
    assert.deepEqual([check?.kind, check?.urls, check?.amount, check?.run], ['check', 2, 1_000_000, null]);
    assert.deepEqual(
      (await listDay(ledger, day)).map(({ kind }) => kind),
      ['batch'],
    );
  });

  testLedger('are found by their entries and by their references, whatever their day', async (ledger) => {
    const day = getDayStart(ledger.now());
    await sendOne(ledger, await plan(ledger, 'r1', ['1']));
    const [batch] = await listDay(ledger, day);
    const { entry, reference } = batch!;
    const scope = { since: day, from: day + DAY, until: day + 2 * DAY };
    const byEntry = (entries: readonly [number, number]) => listBooked(ledger.db, ACCOUNT.id, { ...scope, entries });
    assert.deepEqual(await byEntry([entry - 1, entry]), [batch]);
    assert.deepEqual(await byEntry([entry, entry + 1]), []);
    assert.deepEqual(await listBookedJobs(ledger.db, ACCOUNT.id, [reference!, 'X-1' as Reference]), [batch]);
  });

  testLedger('name what is in doubt with the money that it holds, and what was left', async (ledger) => {
    const batch = await plan(ledger, 'r1', ['1', '2']);
    assert.equal((await beginSend(ledger, batch, { account: ACCOUNT, watch: WATCH })).kind, 'send');
    const [doubt] = await listInDoubt(ledger.db, ACCOUNT.id);
    assert.deepEqual([doubt?.kind, doubt?.id, doubt?.amount, doubt?.reference], ['batch', batch, 2 * QUARTER, null]);
    await ledger.db.run(sql`UPDATE batches SET state = 'needs_review' WHERE id = ${batch}`);
    assert.equal(await resolveNeedsReview(ledger, batch, 'leave'), true);
    assert.deepEqual(await listInDoubt(ledger.db, ACCOUNT.id), []);
    const [left] = await listDay(ledger, getDayStart(ledger.now()));
    assert.deepEqual([left?.wasLeft, left?.bucket, left?.amount], [true, 'assumed', 2 * QUARTER]);
  });

  testLedger('know a job that was taken in: this ledger did not send it', async (ledger) => {
    const createdAt = ledger.now() - 3 * DAY;
    await recoverJob(
      ledger,
      { account: ACCOUNT.id, watch: WATCH.id, baseUrl: ACCOUNT.baseUrl },
      {
        ...{ reference: 'R-9' as Reference, state: 'completed', terminal: true, service: 'standard', project: 'Shop' },
        ...{ createdAt, charge: QUARTER },
        urls: [{ url: 'https://shop.example/1' as Url, result: 'completed', reason: null }],
      },
    );
    const [job] = await listDay(ledger, getDayStart(createdAt));
    assert.deepEqual([job?.reference, job?.bucket, job?.wasSent, job?.at], ['R-9', 'charged', false, createdAt]);
  });

  testLedger('know the jobs that were declared foreign', async (ledger) => {
    await recordForeignJobs(ledger, ACCOUNT.id, ['X-1' as Reference]);
    const asked = ['X-1', 'X-2'] as Reference[];
    assert.deepEqual([...(await listForeign(ledger.db, ACCOUNT.id, asked))], ['X-1']);
  });
});
