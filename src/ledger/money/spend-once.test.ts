import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Micros, sumMicros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  accepted,
  completeRun,
  crawled,
  DAY,
  HOUR,
  previewRun,
  QUARTER,
  sendAll,
  sendOne,
  shopUrl,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { parseReason, type StoredReason } from '../../submission/reason.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { recordReconciled } from '../batches/record-reconciled.ts';
import { recordPoll } from '../jobs/record-poll.ts';
import { settleJob } from '../jobs/settle-job.ts';
import type { Ledger } from '../open-ledger.ts';
import { planRun } from '../plans/make-plan.ts';
import { getRunSummary } from '../reports/run-summary.ts';
import { endRun } from '../runs/runs.ts';

const input = { account: ACCOUNT, watch: WATCH };
const policies = { account: ACCOUNT, watch: WATCH };
const run = (name: string) => name as RunId;
const pages = (count: number) => Array.from({ length: count }, (_, n) => `p/${n}`);
const endAll = (ledger: Ledger) => ledger.db.run(sql`UPDATE runs SET ended_at = 1, end_state = 'finished'`);
const charged = async (ledger: Ledger) =>
  (await ledger.db.get(
    sql<{ amount: number }>`SELECT coalesce(sum(amount), 0) AS amount FROM journal_totals WHERE day > 0`,
  ))!.amount;

describe('spend once', () => {
  testLedger('a URL is planned, sent, accepted and completed; a second run buys nothing', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1', '2'] });
    const plan = await planRun(ledger, run('r1'), input);
    assert.deepEqual([plan.batches, plan.urls, plan.cost, plan.basis], [1, 2, 500_000, 'configured']);
    const [reference] = await sendAll(ledger);
    const look = { state: 'completed', terminalStates: ['completed', 'partial', 'failed'] };
    assert.deepEqual(await recordPoll(ledger, ACCOUNT.id, reference!, look), {
      kind: 'moved',
      state: 'completed',
      terminal: true,
    });
    const settled = await settleJob(ledger, ACCOUNT.id, reference!, { retryFailed: { times: 2, afterMs: DAY } });
    assert.equal(settled.completed, 2);
    const summary = await getRunSummary(ledger, run('r1'));
    assert.deepEqual([summary.submitted, summary.completed, summary.charged, summary.open], [2, 2, 500_000, 0]);
    await endAll(ledger);
    await crawled(ledger, 'r2', { a: ['1', '2'] });
    assert.equal((await planRun(ledger, run('r2'), input)).urls, 0);
  });

  testLedger('a run that is planned twice, concurrently or later, is planned once', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(12_001) });
    const [one, two] = await Promise.all([planRun(ledger, run('r1'), input), planRun(ledger, run('r1'), input)]);
    assert.deepEqual(one, two);
    assert.deepEqual(await planRun(ledger, run('r1'), input), one);
    assert.deepEqual([one.batches, one.urls], [3, 12_001]);
    const sizes = await ledger.db.all(sql<{ urls: number }>`SELECT urls FROM batches ORDER BY id`);
    assert.deepEqual(
      sizes.map(({ urls }) => urls),
      [5_000, 5_000, 2_001],
    );
  });

  testLedger('every attempt sends the same bytes under the same key, whatever the response', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(3) });
    await planRun(ledger, run('r1'), input);
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
    const sent: string[] = [];
    for (const status of [503, 429, null, 500]) {
      const sending = await beginSend(ledger, batch, policies);
      assert.equal(sending.kind, 'send');
      if (sending.kind !== 'send') return;
      sent.push(`${sending.key} ${sending.body}`);
      const none = status === 429;
      await recordAnswer(ledger, batch, {
        attempt: sending.attempt,
        outcome: {
          kind: 'retry',
          why: 'unknown',
          chargeState: none ? 'none' : 'unknown',
          retryAfterMs: 10,
          message: 'x',
        },
        status,
        requestId: null,
      });
      assert.deepEqual((await listPendingBatches(ledger, ACCOUNT.id)).batches, [], 'not before the delay');
      ledger.pass(10);
    }
    assert.equal(new Set(sent).size, 1);
  });

  testLedger('a response recorded twice and a repeated acceptance are charged once', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(3) });
    await planRun(ledger, run('r1'), input);
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
    await sendOne(ledger, batch);
    const answer = { attempt: 1, outcome: accepted(`R-${batch}`), status: 202, requestId: null };
    const again = await Promise.all([
      recordAnswer(ledger, batch, answer),
      recordAnswer(ledger, batch, { ...answer, attempt: 2 }),
    ]);
    assert.deepEqual(
      again.map((each) => each.kind === 'accepted' && each.again),
      [true, true],
    );
    assert.equal(await charged(ledger), 750_000);
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'closed');
  });

  testLedger(
    'a changed reference and one shared by two batches give a reason and no second purchase',
    async (ledger) => {
      await crawled(ledger, 'r1', { a: pages(5_001) });
      await planRun(ledger, run('r1'), input);
      const [small, large] = (await listPendingBatches(ledger, ACCOUNT.id)).batches.map(({ id }) => id);
      await sendOne(ledger, small!);
      const changed = await recordAnswer(ledger, small!, {
        attempt: 2,
        outcome: accepted('R-other'),
        status: 200,
        requestId: null,
      });
      assert.match(
        changed.kind === 'contradicted' ? changed.reason : '',
        /first called this batch R-\d+ and now R-other/,
      );
      const sending = await beginSend(ledger, large!, policies);
      assert.equal(sending.kind, 'send');
      const same = await recordAnswer(ledger, large!, {
        attempt: 1,
        outcome: accepted(`R-${small}`),
        status: 202,
        requestId: null,
      });
      assert.equal(same.kind, 'needs_review');
      assert.deepEqual((await listPendingBatches(ledger, ACCOUNT.id)).batches, []);
    },
  );

  testLedger('a body that does not match its digest is not sent', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(3) });
    await planRun(ledger, run('r1'), input);
    await ledger.db.run(sql`UPDATE batch_bodies SET body = replace(body, 'p/1', 'p/9')`);
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
    const sending = await beginSend(ledger, batch, policies);
    assert.match(sending.kind === 'closed' ? sending.reason! : '', /stored body does not match its digest/);
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'closed');
  });

  testLedger('an outcome in doubt for 20 hours is looked up before anything is sent', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(3) });
    await planRun(ledger, run('r1'), input);
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
    const first = await beginSend(ledger, batch, policies);
    ledger.pass(21 * HOUR);
    const asked = await beginSend(ledger, batch, policies);
    assert.equal(asked.kind, 'reconcile');
    await recordReconciled(ledger, batch, { kind: 'absent' });
    const again = await beginSend(ledger, batch, policies);
    assert.equal(again.kind, 'send');
    if (first.kind === 'send' && again.kind === 'send') {
      assert.equal(again.key, first.key);
      assert.equal(again.inDoubt, false);
    }
    ledger.pass(21 * HOUR);
    const found = await recordReconciled(ledger, batch, { ...accepted('R-1'), kind: 'found' });
    assert.equal(found.kind, 'accepted');
    assert.equal(await charged(ledger), 750_000);
  });

  testLedger(
    'a batch planned long ago is looked up before its first send: the ledger may be a restored copy',
    async (ledger) => {
      await crawled(ledger, 'r1', { a: pages(3) });
      await planRun(ledger, run('r1'), input);
      const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
      ledger.pass(21 * HOUR);
      assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile');
      assert.equal((await recordReconciled(ledger, batch, { kind: 'absent' })).kind, 'retry');
      ledger.pass(21 * HOUR);
      assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile', 'the look was a day ago');
      await recordReconciled(ledger, batch, { kind: 'absent' });
      const sending = await beginSend(ledger, batch, policies);
      assert.ok(sending.kind === 'send' && !sending.inDoubt);
      // Its worker dies; the next one does not take the lookups for responses to the attempt.
      ledger.pass(21 * HOUR);
      assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile');
      const found = await recordReconciled(ledger, batch, { ...accepted('R-1'), kind: 'found' });
      assert.equal(found.kind, 'accepted');
      assert.equal(await charged(ledger), 750_000);
    },
  );

  testLedger(
    'a lookup before the first send is not a response to an attempt: a dead attempt stays in doubt',
    async (ledger) => {
      await crawled(ledger, 'r1', { a: pages(3) });
      await planRun(ledger, run('r1'), input);
      const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
      ledger.pass(21 * HOUR);
      await recordReconciled(ledger, batch, { kind: 'absent' });
      assert.equal((await beginSend(ledger, batch, policies)).kind, 'send', 'its worker dies');
      const second = await beginSend(ledger, batch, policies);
      assert.ok(second.kind === 'send' && second.inDoubt);
      const outcome = { kind: 'defect', chargeState: 'none', message: 'not understood' } as const;
      const answer = { attempt: second.attempt, outcome, status: 400, requestId: null };
      assert.equal((await recordAnswer(ledger, batch, answer)).kind, 'in_doubt', 'the first may have been charged');
    },
  );

  testLedger('invalid URLs are quarantined with the reason, and the others are bought once', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(40) });
    await planRun(ledger, run('r1'), input);
    const bad = new Set([shopUrl('p/7'), shopUrl('p/30')]);
    const bodies = new Set<string>();
    for (;;) {
      const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]?.id;
      if (batch === undefined) break;
      const sending = await beginSend(ledger, batch, policies);
      assert.equal(sending.kind, 'send');
      if (sending.kind !== 'send') return;
      assert.ok(!bodies.has(sending.body));
      bodies.add(sending.body);
      const here = sending.urls.filter((url) => bad.has(url));
      const charge = sumMicros(...sending.urls.map(() => QUARTER));
      const refused = { chargeState: 'none', message: 'not a page' } as const;
      await recordAnswer(ledger, batch, {
        attempt: sending.attempt,
        outcome:
          here.length === 0
            ? accepted(`R-${batch}`, charge)
            : sending.urls.length === 1
              ? { kind: 'quarantine', rejected: here.map((url) => ({ url, reason: 'not a page' })), ...refused }
              : { kind: 'split', why: 'invalid', ...refused },
        status: here.length === 0 ? 202 : 422,
        requestId: null,
      });
    }
    const summary = await getRunSummary(ledger, run('r1'));
    assert.deepEqual([summary.submitted, summary.quarantined, summary.charged], [38, 2, 38 * QUARTER]);
  });

  testLedger(
    'URLs that the service names are quarantined at once; bisection of a batch that is always rejected stops',
    async (ledger) => {
      await crawled(ledger, 'r1', { a: pages(64) });
      await planRun(ledger, run('r1'), input);
      const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
      await beginSend(ledger, batch, policies);
      const named = await recordAnswer(ledger, batch, {
        attempt: 1,
        outcome: {
          kind: 'quarantine',
          rejected: [{ url: shopUrl('p/1'), reason: 'no' }],
          chargeState: 'none',
          message: 'no',
        },
        status: 422,
        requestId: null,
      });
      assert.equal(named.kind === 'refused' && named.quarantined, 1);
      let requests = 0;
      for (;;) {
        const next = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]?.id;
        if (next === undefined) break;
        const sending = await beginSend(ledger, next, policies);
        if (sending.kind !== 'send') break;
        requests += 1;
        const none = { chargeState: 'none', message: 'suspended' } as const;
        await recordAnswer(ledger, next, {
          attempt: sending.attempt,
          outcome:
            sending.urls.length > 1
              ? { kind: 'split', why: 'invalid', ...none }
              : { kind: 'quarantine', rejected: [{ url: sending.urls[0]!, reason: 'suspended' }], ...none },
          status: 422,
          requestId: null,
        });
      }
      assert.ok(requests < 64, `${requests} requests`);
      const summary = await getRunSummary(ledger, run('r1'));
      assert.ok(summary.needsReview > 0 && summary.quarantined < 20, JSON.stringify(summary));
      assert.equal(summary.charged, 0);
    },
  );

  testLedger('a rejection after a lost attempt counts only after a lookup in the list', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(4) });
    await planRun(ledger, run('r1'), input);
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
    await beginSend(ledger, batch, policies);
    await beginSend(ledger, batch, policies);
    const split = { kind: 'split', why: 'too-large', chargeState: 'none', message: 'too large' } as const;
    const lost = await recordAnswer(ledger, batch, { attempt: 2, outcome: split, status: 413, requestId: null });
    assert.equal(lost.kind, 'in_doubt');
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'reconcile');
    const settled = await recordReconciled(ledger, batch, { kind: 'absent' });
    assert.equal(settled.kind === 'refused' && settled.children.length, 2);
  });

  testLedger('a changed URL is bought again as its next generation, under another key', async (ledger) => {
    await crawled(ledger, 'r1', { a: [['1', '2026-01-01']] });
    await planRun(ledger, run('r1'), input);
    const [reference] = await sendAll(ledger);
    await recordPoll(ledger, ACCOUNT.id, reference!, { state: 'completed', terminalStates: ['completed'] });
    await settleJob(ledger, ACCOUNT.id, reference!, { retryFailed: { times: 0, afterMs: 0 } });
    await endAll(ledger);
    await crawled(ledger, 'r2', { a: [['1', '2026-01-09']] });
    const recent = { ...WATCH, resubmit: { onLastmodChange: true, notWithinMs: 30 * DAY } };
    assert.equal((await previewRun(ledger, run('r2'), { account: ACCOUNT, watch: recent })).urls, 0);
    assert.equal((await planRun(ledger, run('r2'), input)).urls, 1);
    const keys = await ledger.db.all(sql<{ idempotency_key: string }>`SELECT idempotency_key FROM batches`);
    assert.equal(new Set(keys.map((row) => row.idempotency_key)).size, 2);
  });

  testLedger(
    'caps of run, day, month, watch and account hold the URLs that exceed them, with the reason',
    async (ledger) => {
      await crawled(ledger, 'r1', { a: pages(10) });
      const capped = { ...WATCH, spend: { perRun: 1_000_000 as Micros, perDay: null, perMonth: null } };
      const plan = await planRun(ledger, run('r1'), { account: ACCOUNT, watch: capped });
      assert.deepEqual([plan.urls, plan.cost, plan.held], [4, 1_000_000, 6]);
      assert.match(plan.heldReason!, /watch per run/);
      await endAll(ledger);
      await crawled(ledger, 'r2', { a: pages(10) });
      const account = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: 1_500_000 as Micros } };
      const second = await planRun(ledger, run('r2'), { account, watch: capped });
      assert.deepEqual([second.urls, second.held], [2, 4], 'what waits to be sent counts against the day');
      await sendAll(ledger);
      ledger.pass(DAY);
      await endAll(ledger);
      await crawled(ledger, 'r3', { a: pages(10) });
      assert.equal((await planRun(ledger, run('r3'), { account, watch: capped })).urls, 4, 'a new day');
    },
  );

  testLedger('a cap lowered after the plan stops the send, and says until when', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(5) });
    await planRun(ledger, run('r1'), { ...input, maxCost: 250_000 as Micros });
    await sendAll(ledger);
    await completeRun(ledger, 'r1', { a: pages(5) });
    await crawled(ledger, 'r2', { a: pages(5) });
    await planRun(ledger, run('r2'), input);
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
    const account = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: 1_200_000 as Micros } };
    const sending = await beginSend(ledger, batch, { account, watch: WATCH });
    assert.equal(sending.kind, 'not-allowed');
    assert.equal(sending.kind === 'not-allowed' && sending.until, ledger.now() + 15 * 60_000, 'or the cap is raised');
    assert.deepEqual((await listPendingBatches(ledger, ACCOUNT.id)).batches, [], "it is in nobody's way meanwhile");
    ledger.pass(15 * 60_000);
    assert.equal((await beginSend(ledger, batch, policies)).kind, 'send');
  });

  testLedger('an unknown price under a cap buys nothing; without caps it is bought and learned', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(4) });
    const unknown = { ...ACCOUNT, pricePerUrl: { standard: null, fast: null } };
    const capped = { ...unknown, spend: { ...unknown.spend, perMonth: 5_000_000 as Micros } };
    const preview = await previewRun(ledger, run('r1'), { account: capped, watch: WATCH });
    assert.deepEqual([preview.urls, preview.held, preview.basis], [0, 4, 'unknown']);
    const plan = await planRun(ledger, run('r1'), { account: unknown, watch: WATCH });
    assert.deepEqual([plan.urls, plan.cost], [4, null]);
    await sendAll(ledger);
    await completeRun(ledger, 'r1', { a: pages(4) });
    await crawled(ledger, 'r2', { a: pages(6) });
    const learned = await previewRun(ledger, run('r2'), { account: capped, watch: WATCH });
    assert.deepEqual([learned.urls, learned.cost, learned.basis], [2, 500_000, 'learned']);
  });

  testLedger('the same URL in two watches of an account is bought once', async (ledger) => {
    const news = { ...WATCH, id: 'news' as typeof WATCH.id };
    await crawled(ledger, 'r1', { a: ['1', '2'] });
    await crawled(ledger, 'n1', { b: ['2', '3'] }, { watch: news.id });
    const [shop, other] = await Promise.all([
      planRun(ledger, run('r1'), input),
      planRun(ledger, run('n1'), { account: ACCOUNT, watch: news }),
    ]);
    assert.equal(shop.urls + other.urls, 3);
  });

  testLedger('failed URLs are bought again with backoff up to the limit, then quarantined', async (ledger) => {
    const retryFailed = { times: 1, afterMs: DAY };
    const runs = ['r1', 'r2', 'r3', 'r4'];
    const bought: number[] = [];
    for (const name of runs) {
      await crawled(ledger, name, { a: ['1'] });
      bought.push((await planRun(ledger, run(name), input)).urls);
      for (const reference of await sendAll(ledger)) {
        await recordPoll(ledger, ACCOUNT.id, reference, { state: 'failed', terminalStates: ['failed'] });
        await settleJob(ledger, ACCOUNT.id, reference, { retryFailed });
      }
      await endAll(ledger);
      ledger.pass(0.6 * DAY);
    }
    assert.deepEqual(bought, [1, 0, 1, 0]);
    const url = await ledger.db.get(
      sql<StoredReason & { state: string }>`SELECT state, reason_code, reason_params FROM urls`,
    );
    assert.deepEqual(
      [url?.state, parseReason(url!)],
      ['quarantined', { code: 'failed_too_often', failures: 2, text: null }],
    );
  });

  testLedger('a job that leaves a terminal state changes nothing', async (ledger) => {
    await crawled(ledger, 'r1', { a: ['1'] });
    await planRun(ledger, run('r1'), input);
    const [reference] = await sendAll(ledger);
    const terminalStates = ['completed', 'failed'];
    await recordPoll(ledger, ACCOUNT.id, reference!, { state: 'completed', terminalStates });
    const back = await recordPoll(ledger, ACCOUNT.id, reference!, { state: 'failed', terminalStates });
    assert.equal(back.kind, 'refused');
    assert.equal(back.state, 'completed');
  });

  testLedger('a charge of zero, or far below the configured price, does not raise a cap', async (ledger) => {
    await crawled(ledger, 'r1', { a: pages(4) });
    await planRun(ledger, run('r1'), input);
    const batch = (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
    await beginSend(ledger, batch, policies);
    const free = { attempt: 1, outcome: accepted('R-1', 0 as Micros), status: 200, requestId: null };
    await recordAnswer(ledger, batch, free);
    assert.equal(await charged(ledger), 1_000_000, 'what was expected counts');
    await endRun(ledger, run('r1'), 'finished');
    await crawled(ledger, 'r2', { a: pages(8) });
    await planRun(ledger, run('r2'), input);
    await sendAll(ledger, 2_500 as Micros);
    await endRun(ledger, run('r2'), 'finished');
    await crawled(ledger, 'r3', { a: pages(9) });
    const plan = await planRun(ledger, run('r3'), input);
    assert.deepEqual([plan.cost, plan.basis], [250_000, 'configured']);
  });
});
