import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { INDEX_CHECK_PRICE, type Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  accepted,
  crawled,
  DAY,
  HOUR,
  QUARTER,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId, Reference, RunId } from '../../submission/ids.ts';
import type { Outcome } from '../../submission/outcome.ts';
import type { Url } from '../../url/normalize-url.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { cancelBatch } from '../batches/cancel-batch.ts';
import { type AnswerRecord, recordAnswer } from '../batches/record-answer.ts';
import { recordReconciled } from '../batches/record-reconciled.ts';
import { resolveNeedsReview } from '../batches/resolve-review.ts';
import { reviewBatch } from '../batches/review-batch.ts';
import { beginCheck } from '../index-checks/begin-check.ts';
import { recordCheck } from '../index-checks/record-check.ts';
import { importPurchases } from '../jobs/import-purchases.ts';
import { recordPoll } from '../jobs/record-poll.ts';
import { recoverJob } from '../jobs/recover.ts';
import { settleJob } from '../jobs/settle-job.ts';
import { planRun } from '../plans/make-plan.ts';
import { getDayStart } from './days.ts';
import { countAtPrices } from './prices.ts';
import { findWrongTotals } from './totals.ts';

/*
 * Which entry each event makes: a table, row by row. Amounts are in quarters of a lira, the price of a URL.
 */
const lira = (quarters: number) => (quarters * QUARTER) as Micros;
const POLICY = { afterMs: 0, everyMs: 7 * DAY, stopWhenFound: true, sample: 1, perDay: null, resubmitAfter: null };

/** Plans four pages as one batch. */
async function plan(ledger: TestLedger, account = ACCOUNT): Promise<BatchId> {
  await crawled(ledger, 'r1', { a: ['1', '2', '3', '4'] });
  await planRun(ledger, 'r1' as RunId, { account, watch: WATCH });
  return (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
}

async function begin(ledger: TestLedger, batch: BatchId, account = ACCOUNT): Promise<number> {
  const sending = await beginSend(ledger, batch, { account, watch: WATCH });
  assert.ok(sending.kind === 'send', JSON.stringify(sending));
  return sending.attempt;
}

const answer = (ledger: TestLedger, batch: BatchId, outcome: Outcome, attempt = 1) => {
  const record: AnswerRecord = { attempt, outcome, status: null, requestId: null };
  return recordAnswer(ledger, batch, record);
};

const acceptance = (quarters: number | null): Outcome =>
  accepted('R-1', quarters === null ? null : lira(quarters)) as Outcome;
const UNANSWERED = {
  kind: 'retry',
  why: 'unknown',
  chargeState: 'unknown',
  retryAfterMs: null,
  message: 'lost',
} as const;

/** All movements so far; of the same purchase in the order of their ids. */
async function entries({ db }: TestLedger): Promise<string[]> {
  const rows = await db.all(sql<{ from_bucket: string; to_bucket: string; amount: number; counted: number }>`
    SELECT from_bucket, to_bucket, amount, counted FROM journal ORDER BY id`);
  assert.deepEqual(await findWrongTotals(db), []);
  return rows.map(({ from_bucket, to_bucket, amount, counted }) =>
    [from_bucket, to_bucket, amount / QUARTER, ...(counted > 0 && counted !== amount ? [counted / QUARTER] : [])].join(
      ' ',
    ),
  );
}

const FOUND = {
  ...({ kind: 'found', reference: 'R-1' as Reference, state: 'queued' } as const),
  ...{ charged: lira(4), pricePerUrl: null, balance: null },
};

const AT_TWICE = { ...ACCOUNT, pricePerUrl: { standard: lira(2), fast: lira(2) } };

const PLANNED = 'free planned 4';
const SENT = [PLANNED, 'planned sent 4'];

describe('a submission', () => {
  const rows: readonly (readonly [
    string,
    readonly string[],
    (ledger: TestLedger, batch: BatchId) => Promise<unknown>,
  ])[] = [
    ['planned and frozen', [PLANNED], async () => undefined],
    ['about to be sent', SENT, begin],
    [
      'about to be sent, after a price rise',
      [PLANNED, 'free planned 4', 'planned sent 8'],
      (ledger, batch) => begin(ledger, batch, AT_TWICE),
    ],
    [
      'accepted with its charge',
      [...SENT, 'sent charged 4'],
      async (ledger, batch) => answer(ledger, batch, acceptance(4), await begin(ledger, batch)),
    ],
    [
      'accepted with a lower charge: the known price counts, the rest goes back',
      [...SENT, 'sent free 1', 'sent charged 3 4'],
      async (ledger, batch) => answer(ledger, batch, acceptance(3), await begin(ledger, batch)),
    ],
    [
      'accepted with a higher charge: the excess comes from what is free',
      [...SENT, 'free sent 4', 'sent charged 8'],
      async (ledger, batch) => answer(ledger, batch, acceptance(8), await begin(ledger, batch)),
    ],
    [
      'accepted without a charge',
      [...SENT, 'sent assumed 4'],
      async (ledger, batch) => answer(ledger, batch, acceptance(null), await begin(ledger, batch)),
    ],
    [
      'accepted, and the answer comes again',
      [...SENT, 'sent charged 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await answer(ledger, batch, acceptance(4));
        await answer(ledger, batch, acceptance(4), 2);
      },
    ],
    [
      'refused for want of money, for certain (402)',
      [...SENT, 'sent planned 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await answer(ledger, batch, { kind: 'suspend', chargeState: 'none', message: '402' } as Outcome);
      },
    ],
    [
      'refused and split (413)',
      [...SENT, 'sent free 4', 'free planned 2', 'free planned 2'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await answer(ledger, batch, { kind: 'split', chargeState: 'none', message: '413' } as Outcome);
      },
    ],
    [
      'without an answer',
      SENT,
      async (ledger, batch) => answer(ledger, batch, UNANSWERED as Outcome, await begin(ledger, batch)),
    ],
    [
      'found in the list',
      [...SENT, 'sent charged 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await recordReconciled(ledger, batch, FOUND);
      },
    ],
    [
      'absent from the list, confirmed: nothing was charged, and the same bytes are sent again',
      [...SENT, 'sent planned 4', 'planned sent 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await recordReconciled(ledger, batch, { kind: 'absent' });
        await begin(ledger, batch);
      },
    ],
    [
      'in review, and left by an operator',
      [...SENT, 'sent assumed 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await reviewBatch(ledger, batch, { code: 'lookup_unsure', text: 'x' });
        await resolveNeedsReview(ledger, batch, 'leave');
      },
    ],
    [
      'in review, and charged, as an operator says',
      [...SENT, 'sent charged 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await reviewBatch(ledger, batch, { code: 'lookup_unsure', text: 'x' });
        await recordReconciled(ledger, batch, FOUND);
      },
    ],
    [
      'in review without a doubt, and left: nothing was charged',
      [...SENT, 'sent free 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await answer(ledger, batch, { kind: 'defect', chargeState: 'none', message: '400' } as Outcome);
        await resolveNeedsReview(ledger, batch, 'leave');
      },
    ],
    [
      'in review, and released by an operator',
      [...SENT, 'sent free 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await reviewBatch(ledger, batch, { code: 'lookup_unsure', text: 'x' });
        await resolveNeedsReview(ledger, batch, 'release');
      },
    ],
    [
      'left, and then found to be accepted',
      [...SENT, 'sent assumed 4', 'assumed charged 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await reviewBatch(ledger, batch, { code: 'lookup_unsure', text: 'x' });
        await resolveNeedsReview(ledger, batch, 'leave');
        await answer(ledger, batch, acceptance(4));
      },
    ],
    [
      'taken back before it was sent',
      [PLANNED, 'planned free 4'],
      async (ledger, batch) => cancelBatch(ledger, batch, 'me'),
    ],
    [
      'while a price changes: what is planned is corrected',
      [PLANNED, 'free planned 4', 'planned free 4'],
      async (ledger) => {
        await countAtPrices(ledger.db, ACCOUNT.id, AT_TWICE.pricePerUrl, ledger.now());
        await countAtPrices(ledger.db, ACCOUNT.id, ACCOUNT.pricePerUrl, ledger.now());
      },
    ],
    [
      'while a price changes: what is charged is not',
      [...SENT, 'sent charged 4'],
      async (ledger, batch) => {
        await begin(ledger, batch);
        await answer(ledger, batch, acceptance(4));
        await countAtPrices(ledger.db, ACCOUNT.id, AT_TWICE.pricePerUrl, ledger.now());
      },
    ],
  ];
  for (const [what, expected, act] of rows) {
    testLedger(`${what}: ${expected.join(', ')}`, async (ledger) => {
      await act(ledger, await plan(ledger));
      assert.deepEqual(await entries(ledger), expected);
    });
  }

  testLedger('found late counts on the day of its creation, and else on that of its send', async (ledger) => {
    const batch = await plan(ledger);
    await begin(ledger, batch);
    const sentOn = getDayStart(ledger.now());
    ledger.pass(2 * DAY);
    await recordReconciled(ledger, batch, FOUND);
    const days = await ledger.db.all(sql<{ day: number }>`SELECT day FROM journal WHERE to_bucket = 'charged'`);
    assert.deepEqual(days, [{ day: sentOn }]);
  });
});

describe('an index-check', () => {
  async function check(ledger: TestLedger) {
    const batch = await plan(ledger);
    await begin(ledger, batch);
    await answer(ledger, batch, acceptance(4));
    await recordPoll(ledger, ACCOUNT.id, 'R-1' as Reference, { state: 'completed', terminalStates: ['completed'] });
    await settleJob(ledger, ACCOUNT.id, 'R-1' as Reference, { retryFailed: { times: 0, afterMs: 0 } });
    ledger.pass(HOUR);
    await ledger.db.run(sql`DELETE FROM journal`);
    await ledger.db.run(sql`DELETE FROM journal_totals`);
    const input = { account: ACCOUNT, watch: WATCH.id, spend: WATCH.spend, policy: POLICY };
    const begun = await beginCheck(ledger, input);
    assert.ok(begun.kind === 'send', begun.kind);
    return { input, ...begun };
  }
  const checked = (urls: readonly Url[], charged: Micros | null) => ({
    ...({ kind: 'checked', chargeState: 'charged', charged, balance: null, usable: true } as const),
    results: urls.map((url) => ({ url, verdict: 'found', statusName: null }) as const),
  });
  const COST = (4 * INDEX_CHECK_PRICE) / QUARTER;
  const CHECK_SENT = [`free planned ${COST}`, `planned sent ${COST}`];
  const record = (ledger: TestLedger, id: number, outcome: unknown) =>
    recordCheck(ledger, id, { attempt: 1, outcome, requestId: null } as never, POLICY);

  testLedger('is planned, sent and charged', async (ledger) => {
    const { check: id, urls } = await check(ledger);
    await record(ledger, id, checked(urls, lira(COST)));
    assert.deepEqual(await entries(ledger), [...CHECK_SENT, `sent charged ${COST}`]);
  });

  testLedger('that says no charge is assumed to have its price', async (ledger) => {
    const { check: id, urls } = await check(ledger);
    await record(ledger, id, checked(urls, null));
    assert.deepEqual(await entries(ledger), [...CHECK_SENT, `sent assumed ${COST}`]);
  });

  testLedger('that was refused gives its money back', async (ledger) => {
    const { check: id } = await check(ledger);
    await record(ledger, id, { kind: 'split', chargeState: 'none', message: '413' });
    assert.deepEqual(await entries(ledger), [...CHECK_SENT, `sent free ${COST}`]);
  });

  testLedger('that waits for certain is planned again', async (ledger) => {
    const { check: id } = await check(ledger);
    const outcome = { kind: 'retry', why: 'unavailable', chargeState: 'none', retryAfterMs: null, message: '503' };
    await record(ledger, id, outcome);
    assert.deepEqual(await entries(ledger), [...CHECK_SENT, `sent planned ${COST}`]);
  });

  testLedger('whose key has expired is assumed charged, on the day of its send', async (ledger) => {
    const { input } = await check(ledger);
    const day = getDayStart(ledger.now());
    ledger.pass(2 * DAY);
    await beginCheck(ledger, input);
    assert.deepEqual((await entries(ledger)).slice(0, 3), [...CHECK_SENT, `sent assumed ${COST}`]);
    const [row] = await ledger.db.all(sql<{ day: number }>`SELECT day FROM journal WHERE to_bucket = 'assumed'`);
    assert.equal(row?.day, day);
  });
});

describe('what other programs bought', () => {
  testLedger('and recover takes in is charged on the day of its creation', async (ledger) => {
    const createdAt = Date.UTC(2026, 0, 3, 5);
    await recoverJob(
      ledger,
      { account: ACCOUNT.id, watch: WATCH.id, baseUrl: ACCOUNT.baseUrl },
      {
        ...{ reference: 'R-9' as Reference, state: 'completed', terminal: true, service: 'standard', project: 'Shop' },
        ...{ createdAt, charge: lira(1), urls: [{ url: shopUrl('1'), result: 'open', reason: null }] },
      },
    );
    assert.deepEqual(await entries(ledger), ['free charged 1']);
    const [row] = await ledger.db.all(sql<{ day: number }>`SELECT day FROM journal`);
    assert.equal(row?.day, getDayStart(createdAt));
  });

  testLedger('and recover takes in replaces what was assumed of the batch that an operator left', async (ledger) => {
    const batch = await plan(ledger);
    await begin(ledger, batch);
    await reviewBatch(ledger, batch, { code: 'lookup_unsure', text: 'x' });
    await resolveNeedsReview(ledger, batch, 'leave');
    const { project } = await ledger.db.one(sql<{ project: string }>`SELECT project FROM batches`);
    await recoverJob(
      ledger,
      { account: ACCOUNT.id, watch: WATCH.id, baseUrl: ACCOUNT.baseUrl },
      {
        ...{ reference: 'R-9' as Reference, state: 'completed', terminal: true, service: 'standard', project },
        ...{ createdAt: ledger.now(), charge: lira(4) },
        urls: ['1', '2', '3', '4'].map((path) => ({ url: shopUrl(path), result: 'open', reason: null }) as const),
      },
    );
    assert.deepEqual((await entries(ledger)).slice(2), ['sent assumed 4', 'free charged 4', 'assumed free 4']);
  });

  testLedger('and an import names makes no entry', async (ledger) => {
    const page = {
      url: shopUrl('1'),
      state: 'known',
      generation: 1,
      failures: 0,
      boughtAt: 1,
      version: null,
    } as const;
    await importPurchases(ledger, { account: ACCOUNT.id, watch: WATCH.id }, [page], { write: true });
    assert.deepEqual(await entries(ledger), []);
  });
});
