import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { startFakeService } from '../../../test/fakes/service/fake-service.ts';
import type { Fault } from '../../../test/fakes/service/faults.ts';
import type { Job } from '../../../test/fakes/service/records.ts';
import { type Dialect, emptyDatabaseUrl, TEST_DIALECTS } from '../../../test/support/database.ts';
import { ACCOUNT, crawled, DAY, HOUR, QUARTER, type Site, WATCH } from '../../../test/support/ledger.ts';
import { createApiClient } from '../../api-client/client.ts';
import { openDatabase } from '../../database/open.ts';
import { sql } from '../../database/sql.ts';
import type { Reference, RunId } from '../../submission/ids.ts';
import { decideOutcome } from '../../submission/outcome.ts';
import { parseTag } from '../../submission/project-tag.ts';
import { listOpenSubmissions, recordPoll } from '../jobs/record-poll.ts';
import { recordUrlResults, settleJob } from '../jobs/settle-job.ts';
import { type Ledger, ledgerOver } from '../open-ledger.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { listPendingBatches } from './batch-queries.ts';
import { beginSend } from './begin-send.ts';
import { recordAnswer } from './record-answer.ts';
import { recordReconciled } from './record-reconciled.ts';

/** What happens to one request; null: nothing. */
const FAULTS: readonly (Fault | null)[] = [
  null,
  null,
  'drop-before',
  'drop-after',
  'slow-commit-after',
  'error-503-before',
  'error-429-before',
  'error-402-before',
];

/** One choice after another from a list of numbers, so that a failure is a list that can be kept and made smaller. */
function createChoices(numbers: readonly number[]) {
  let at = 0;
  return {
    below: (limit: number) => (numbers[at++ % Math.max(1, numbers.length)] ?? 0) % limit,
    get left() {
      return numbers.length - at;
    },
  };
}
type Choices = ReturnType<typeof createChoices>;

const policies = { account: ACCOUNT, watch: WATCH };
const retryFailed = { times: 1, afterMs: HOUR };
const terminalStates = ['completed', 'partial', 'failed'];

/**
 * Two workers on one ledger, a clock, and a service that forgets keys after a day, takes at most 8 URLs and none that
 * ends in 7. Faults by choice, then none until everything has ended.
 */
async function simulate(t: TestContext, dialect: Dialect, choices: Choices): Promise<void> {
  let time = Date.UTC(2026, 0, 15);
  const url = emptyDatabaseUrl(t, dialect);
  const workers: Ledger[] = [];
  const refuses = (each: string) => each.endsWith('7');
  const service = await startFakeService(null, { now: () => time, keyLifeMs: DAY, maxUrls: 8, refuses });
  const client = createApiClient({ baseUrl: service.baseUrl, apiKey: () => 'any-key', now: () => time });
  try {
    for (let n = 0; n < 2; n++)
      workers.push(await ledgerOver(openDatabase(url, { synchronous: 'NORMAL' }), () => time));
    const site = new Map<string, number>();
    let runs = 0;
    const worker = () => workers[choices.below(workers.length)]!;

    async function runOnce(): Promise<void> {
      for (let n = choices.below(12); n > 0; n--) {
        const page = `p/${choices.below(30)}`;
        if (choices.below(4) === 0) site.delete(page);
        else site.set(page, (site.get(page) ?? 0) + 1);
      }
      const pages = [...site].map(([page, version]) => [page, `v${version}`] as const);
      const half = Math.ceil(pages.length / 2);
      const broken = choices.below(5) === 0;
      const sitemaps: Site = { a: pages.slice(0, half), b: broken ? 'broken' : pages.slice(half) };
      const run = `r${runs++}`;
      const ledger = worker();
      await crawled(ledger, run, sitemaps);
      if (choices.below(3) === 0) await crawled(worker(), run, sitemaps);
      const plans = workers.slice(0, 1 + choices.below(2)).map((each) => planRun(each, run as RunId, policies));
      await Promise.all(plans);
      await endRun(ledger, run as RunId, choices.below(4) === 0 ? 'abandoned' : 'finished');
    }

    async function send(nextFault: () => Fault | null, crashes: boolean): Promise<void> {
      const ledger = worker();
      const { batches, nextAt } = await listPendingBatches(ledger, ACCOUNT.id);
      const batch = batches[choices.below(Math.max(1, batches.length))]?.id;
      if (batch === undefined) {
        if (nextAt !== null) time = Math.max(time, nextAt);
        return;
      }
      const sending = await beginSend(ledger, batch, policies);
      if (sending.kind === 'reconcile') {
        const job = service.jobs.find(({ project }) => parseTag(project) === sending.tag);
        await recordReconciled(
          ledger,
          batch,
          job === undefined
            ? { kind: 'absent' }
            : {
                kind: 'found',
                reference: job.reference as Reference,
                state: null,
                charged: null,
                pricePerUrl: null,
                balance: null,
              },
        );
        return;
      }
      if (sending.kind !== 'send') return;
      if (crashes && choices.below(6) === 0) return;
      service.faults.push(nextFault());
      const { urls, inDoubt, reference } = sending;
      const outcome = decideOutcome(await client.submit(sending.body, sending.key), { urls, inDoubt, reference });
      if (crashes && choices.below(6) === 0) return;
      const record = { attempt: sending.attempt, outcome, status: null, requestId: null };
      const times = crashes && choices.below(4) === 0 ? workers : [ledger];
      await Promise.all(times.map((each) => recordAnswer(each, batch, record)));
    }

    async function poll(choose: () => string): Promise<void> {
      for (const { reference } of await listOpenSubmissions(worker(), ACCOUNT.id)) {
        const state = choose();
        const { terminal } = await recordPoll(worker(), ACCOUNT.id, reference, { state, terminalStates });
        if (!terminal) continue;
        const { urls } = service.jobs.find((job) => job.reference === reference)!;
        const results = urls.map(
          (each, at) => ({ url: each, result: at % 2 ? 'failed' : 'completed', reason: null }) as const,
        );
        if (state === 'partial') await recordUrlResults(worker(), ACCOUNT.id, reference, results);
        await Promise.all(workers.map((each) => settleJob(each, ACCOUNT.id, reference, { retryFailed })));
      }
    }

    const states = ['queued', 'processing', 'completed', 'partial', 'failed'];
    while (choices.left > 0) {
      const act = choices.below(8);
      if (act === 0) await runOnce();
      else if (act === 1) await poll(() => states[choices.below(states.length)]!);
      else if (act === 2) time += choices.below(30) * HOUR;
      else await send(() => FAULTS[choices.below(FAULTS.length)]!, true);
    }
    for (let step = 0; step < 200; step++) {
      time += HOUR;
      await send(() => null, false);
    }
    await poll(() => 'completed');

    assert.deepEqual(service.breaches, []);
    await chargedOnce(workers[0]!, service.jobs);
    await explained(workers[0]!);
  } finally {
    await Promise.all([service.close(), client.close(), ...workers.map((each) => each.close())]);
  }
}

/** Each job of the service is one batch of the ledger with one charge, and no generation of a URL is in two of them. */
async function chargedOnce(ledger: Ledger, jobs: readonly Job[]): Promise<void> {
  const { db } = ledger;
  const batches = await db.all(sql<{ reference: string }>`SELECT reference FROM batches WHERE reference IS NOT NULL`);
  assert.deepEqual(batches.map(({ reference }) => reference).sort(), jobs.map(({ reference }) => reference).sort());
  const charged = await db.get(
    sql<{ amount: number }>`SELECT coalesce(sum(amount), 0) AS amount FROM journal_totals WHERE day > 0`,
  );
  assert.equal(charged!.amount, QUARTER * jobs.reduce((sum, { urls }) => sum + urls.length, 0));
  const bought = await db.all(sql<{ url: string; generation: number }>`
    SELECT u.url, count(*) AS generation FROM batches AS b JOIN batch_urls AS m ON m.batch_id = b.id
    JOIN urls AS u ON u.id = m.url_id WHERE b.reference IS NOT NULL GROUP BY u.url, m.generation HAVING count(*) > 1`);
  assert.deepEqual(bought, []);
}

/** No URL is lost: each is at an end, or says why not. */
async function explained(ledger: Ledger): Promise<void> {
  const urls = await ledger.db.all(sql<{ url: string; state: string; reason: string | null }>`
    SELECT url, state, reason_code AS reason FROM urls`);
  for (const { url, state, reason } of urls) {
    const waits = await ledger.db.get(sql<{ due: string | null; batch: string | null }>`
      SELECT due, (SELECT min(b.state) FROM batch_urls AS m JOIN batches AS b ON b.id = m.batch_id
        WHERE m.url_id = urls.id AND b.state IN ('planned', 'sending', 'needs_review')) AS batch
      FROM urls WHERE url = ${url}`);
    const fine = state === 'completed' || reason !== null || waits!.due !== null || waits!.batch !== null;
    assert.ok(fine || state === 'failed', `${url} is ${state} without a reason`);
    if (state === 'planned') assert.ok(waits!.batch !== null, `${url} is planned in no batch`);
  }
}

const RUNS = Number(process.env.COURIER_TEST_LEDGER_RUNS ?? 0);

describe('exactly once', () => {
  for (const dialect of TEST_DIALECTS) {
    test(`under any failure, a generation of a URL is charged once and no URL is lost (${dialect})`, async (t) => {
      const numRuns = RUNS > 0 ? RUNS : dialect === 'sqlite' ? 15 : 2;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(5039), { minLength: 60, maxLength: 400, size: 'max' }), (numbers) =>
          simulate(t, dialect, createChoices(numbers)),
        ),
        { numRuns, ...(RUNS > 0 ? {} : { seed: 20260115 }), endOnFailure: true },
      );
    });
  }
});
