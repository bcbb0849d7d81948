import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { HOT_QUERIES } from '../../test/support/hot-queries.ts';
import { ACCOUNT, crawled, DAY, NO_GUARD, sendAll, shopUrl, WATCH } from '../../test/support/ledger.ts';
import {
  explainBoth,
  listScans,
  listWholeIndexes,
  multiplyStatistics,
  stopAutovacuum,
} from '../../test/support/postgres-plans.ts';
import { recordStatements } from '../../test/support/record-statements.ts';
import { seedReportLedger } from '../../test/support/report-ledger.ts';
import type { Queryable } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { compile, type Query, raw } from '../database/sql.ts';
import type { RunId } from '../submission/ids.ts';
import { beginCheck } from './index-checks/begin-check.ts';
import { recordCheck } from './index-checks/record-check.ts';
import { listOverdueJobs } from './jobs/overdue-jobs.ts';
import { recordPoll } from './jobs/record-poll.ts';
import { recordUrlResults, settleJob } from './jobs/settle-job.ts';
import { type Ledger, ledgerOver } from './open-ledger.ts';
import { planRun } from './plans/make-plan.ts';
import { getAccountFigures } from './reports/account-figures.ts';
import { getRunSummary } from './reports/run-summary.ts';
import { getUrlHistory } from './reports/url-history.ts';
import { getWatchFigures } from './reports/watch-figures.ts';
import { judgeRun } from './runs/judge-run.ts';
import { endRun } from './runs/runs.ts';

/**
 * Tables that grow with the URLs and with time. `runs` is not among them: 200 watches add 73,000 rows in a year, and two
 * statements of a run may read them all.
 */
const LARGE = [
  'urls',
  'batch_urls',
  'batches',
  'batch_bodies',
  'batch_answers',
  'charges',
  'check_queue',
  'check_urls',
  'checks',
  'run_sitemaps',
  'run_skips',
] as const;
const SEEDED_URLS = 20_000;
const TIMES = 250;
const WATCHES = 20;
const NOW = Date.UTC(2026, 2, 1);

/** A ledger with months of work of twenty watches, planned by Postgres as if they had 5,000,000 URLs. */
async function openLarge(t: TestContext): Promise<{ readonly ledger: Ledger; readonly statements: readonly Query[] }> {
  const plain = openDatabase(emptyDatabaseUrl(t, 'postgres'));
  t.after(() => plain.close());
  const watches = Array.from({ length: WATCHES }, (_, n) => `w${n}`);
  await ledgerOver(plain, () => NOW);
  await stopAutovacuum(plain, LARGE);
  await seedReportLedger(plain, { watches, urls: SEEDED_URLS / WATCHES, days: 60, now: NOW, batchSize: 20 });
  for (const table of ['urls', 'batches', 'charges', 'checks', 'runs', 'watches', 'sitemaps']) {
    await plain.run(raw(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`));
  }
  await plain.run(raw("INSERT INTO batch_bodies (batch_id, body) SELECT id, repeat('x', 500) FROM batches"));
  await plain.run(
    raw(
      "INSERT INTO run_skips (run_id, sitemap_id, reason, urls, sample) SELECT id, watch_id, 'host', 1, '[]' FROM runs",
    ),
  );
  // Their bodies are invented: they are never sent.
  await plain.run(raw("UPDATE batches SET state = 'canceled' WHERE state = 'planned'"));
  const { db, statements } = recordStatements(plain);
  let now = NOW;
  const ledger = await ledgerOver(db, () => now);
  await work(ledger, () => {
    now += 4 * DAY;
  });
  await multiplyStatistics(plain, LARGE, TIMES);
  const distinct = new Map(statements.map(({ text, query }) => [text, query]));
  return { ledger: { ...ledger, db: plain }, statements: [...distinct.values()] };
}

/** What a worker does with a watch in a week: two runs, their jobs, their checks. */
async function work(ledger: Ledger, pass: () => void): Promise<void> {
  const policies = { account: ACCOUNT, watch: WATCH };
  const check = { afterMs: DAY, everyMs: DAY, stopWhenFound: true, sample: 1, perDay: null, resubmitAfter: 2 };
  const sites = {
    r1: { a: [['1', '2026-01-01'], '2', '3'], b: ['4', '5'] },
    r2: { a: [['1', '2026-02-02'], '2', '9'], b: { cut: ['4'] } },
    r3: { a: [['1', '2026-02-03'], '4'], b: ['7'] },
  } as const;
  for (const [name, site] of Object.entries(sites)) {
    const run = name as RunId;
    const configured = [WATCH.id, ...Array.from({ length: WATCHES }, (_, n) => `w${n}` as typeof WATCH.id)];
    await crawled(ledger, name, site, { configured });
    await judgeRun(ledger, run, { ...NO_GUARD, maxNew: 1_000 }, { input: policies });
    await planRun(ledger, run, policies);
    await endRun(ledger, run, 'finished');
    for (const reference of await sendAll(ledger)) {
      const terminalStates = ['completed', 'partial'];
      await recordPoll(ledger, ACCOUNT.id, reference, { state: 'partial', terminalStates });
      await recordUrlResults(ledger, ACCOUNT.id, reference, [
        { url: shopUrl('1'), result: 'failed', reason: 'HTTP 404' },
        { url: shopUrl('2'), result: 'completed', reason: null },
      ]);
      await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: { times: 1, afterMs: 0 } });
    }
    pass();
    const checking = await beginCheck(ledger, { account: ACCOUNT, watch: WATCH.id, policy: check });
    if (checking.kind === 'send') {
      const results = checking.urls.map((url) => ({ url, verdict: 'not-found', statusName: 'not found' }) as const);
      const outcome = { kind: 'checked', chargeState: 'charged', results, charged: null, balance: null, usable: true };
      await recordCheck(ledger, checking.check, { attempt: 1, outcome, requestId: null } as never, check);
    }
    await getRunSummary(ledger, run);
    await getUrlHistory(ledger, shopUrl('1'));
  }
  await listOverdueJobs(ledger, ACCOUNT.id, { standard: DAY, fast: DAY });
  await getAccountFigures(ledger, ACCOUNT.id);
  await getWatchFigures(ledger, WATCH.id);
}

/** The statements that read a large table as a whole, with where they do. */
async function findScans(db: Queryable, queries: readonly Query[]): Promise<string[]> {
  const large = new Set<string>(LARGE);
  const indexes = await listWholeIndexes(db, large);
  const found: string[] = [];
  for (const query of queries) {
    const plans = await explainBoth(db, query);
    for (const [at, plan] of plans.entries()) {
      const scans = listScans(plan, large, indexes);
      if (scans.length === 0) continue;
      found.push(`${at === 0 ? 'with values' : 'without values'}: ${scans.join(', ')}: ${toText(query)}`);
    }
  }
  return found;
}

const toText = (query: Query): string => query.strings.join('?').replaceAll(/\s+/g, ' ').trim();

const postgres = TEST_DIALECTS.includes('postgres') ? {} : { skip: 'COURIER_TEST_POSTGRES names no Postgres' };

/** Each of them serves a statement that nothing else does. */
const NEEDED_INDEXES = {
  urls_by_fp: 'urls',
  urls_due: 'urls',
  batch_urls_once: 'batch_urls',
  check_queue_due: 'check_queue',
  check_urls_by_url: 'check_urls',
};

class DropRollback extends Error {}

describe('query plans on Postgres with 5,000,000 URLs', postgres, () => {
  test('no statement of a run, a job or a check reads a large table as a whole', async (t) => {
    const { ledger, statements } = await openLarge(t);
    const recorded = statements.filter((query) => /^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(query.strings[0] ?? ''));
    assert.ok(recorded.length > 80, `only ${recorded.length} statements were recorded`);
    const all = [...recorded, ...HOT_QUERIES.map(({ query }) => query)];
    assert.deepEqual(await ledger.db.tx((tx) => findScans(tx, all)), []);
    for (const [index, table] of Object.entries(NEEDED_INDEXES)) {
      const without = ledger.db.tx(async (tx) => {
        await tx.run(raw(`DROP INDEX ${index}`));
        const scans = await findScans(
          tx,
          all.filter((query) => compile(query, 'postgres').text.includes(table)),
        );
        assert.match(scans.join('\n'), new RegExp(`all of ${table}\\b`), `no statement misses ${index}`);
        throw new DropRollback();
      });
      await assert.rejects(without, DropRollback);
    }
  });
});
