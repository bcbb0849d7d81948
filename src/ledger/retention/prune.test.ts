import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  completeRun,
  crawled,
  DAY,
  HOUR,
  QUARTER,
  type Site,
  sendAll,
  sendOne,
  shopUrl,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { endJob, runCheck } from '../../../test/support/service-results.ts';
import { insertRows, type Row } from '../../database/rows.ts';
import { join as joinSql, type Query, raw, sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { beginCheck } from '../index-checks/begin-check.ts';
import { planRun } from '../plans/make-plan.ts';
import { listBatches } from '../reports/lists.ts';
import { getRunSummary } from '../reports/run-summary.ts';
import { listSpending } from '../reports/spending.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { getUrlHistory } from '../reports/url-history.ts';
import { endRun } from '../runs/runs.ts';
import { openArchive } from './archive.ts';
import { DETAIL_TABLES, type Detail, deleteDetails, selectDetails } from './details.ts';
import { getCheckDetailsFrom, pruneLedger, type RetentionPolicy } from './prune.ts';

const run = (name: string) => name as RunId;
const policies = { account: ACCOUNT, watch: WATCH };
const AGES: RetentionPolicy = { runs: 30 * DAY, batches: 30 * DAY, index_checks: 30 * DAY };
const TABLES = ['run_sitemaps', 'run_skips', 'unread_jobs', 'batch_answers', 'check_urls'] as const;
const checkPolicy = {
  afterMs: DAY,
  everyMs: 7 * DAY,
  stopWhenFound: true,
  sample: 1,
  perDay: null,
  resubmitAfter: null,
};

async function buy(ledger: TestLedger, name: string, site: Site): Promise<void> {
  await crawled(ledger, name, site);
  await planRun(ledger, run(name), policies);
  for (const reference of await sendAll(ledger)) await endJob(ledger, reference);
  await endRun(ledger, run(name), 'finished');
}

const check = (ledger: TestLedger) => runCheck(ledger, checkPolicy, () => 'found');

async function countRows({ db }: TestLedger): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES)
    counts[table] = (await db.one(sql<{ rows: number }>`SELECT count(*) AS rows FROM ${raw(table)}`)).rows;
  return counts;
}

/** All that decides about money, and all that reports say of it. */
async function readMoney(ledger: TestLedger): Promise<unknown> {
  const histories = [];
  for (const page of ['1', '2', '3', '4']) histories.push(...(await getUrlHistory(ledger, shopUrl(page))));
  // Jobs whose answer could not be read are a detail.
  const { unread: _, ...totals } = await getAccountTotals(ledger, ACCOUNT.id, ACCOUNT.pricePerUrl);
  return {
    totals,
    spending: await listSpending(ledger, 'day', 0),
    summaries: [await getRunSummary(ledger, run('r1')), await getRunSummary(ledger, run('r2'))],
    // What is documented as removed: request ids and the checks of a URL.
    histories: histories.map(({ checks: _, purchases, ...rest }) => ({
      ...rest,
      purchases: purchases.map(({ requestIds: __, ...purchase }) => purchase),
    })),
  };
}

/** r1 and its check are 60 days old, r2 is of today. */
async function work(ledger: TestLedger): Promise<void> {
  await buy(ledger, 'r1', { a: ['1', '2', '3'], b: 'broken' });
  ledger.pass(2 * DAY);
  await check(ledger);
  ledger.pass(58 * DAY);
  await buy(ledger, 'r2', { a: ['1', '2', '3', '4'], b: 'broken' });
  for (const { batch } of await listBatches(ledger))
    await ledger.db.run(sql`
      INSERT INTO unread_jobs (batch_id, account_id, found, tried) VALUES (${batch}, ${ACCOUNT.id}, '[]', ' a ')`);
}

describe('pruning', () => {
  testLedger('removes old details and nothing that decides or reports on money', async (ledger) => {
    await work(ledger);
    const before = await readMoney(ledger);
    assert.deepEqual(await countRows(ledger), {
      run_sitemaps: 4,
      run_skips: 0,
      unread_jobs: 2,
      batch_answers: 2,
      check_urls: 3,
    });

    const counted = await pruneLedger(ledger, AGES, { dryRun: true });
    assert.deepEqual(counted, { run_sitemaps: 2, run_skips: 0, unread_jobs: 1, batch_answers: 1, check_urls: 3 });
    assert.deepEqual(await countRows(ledger), {
      run_sitemaps: 4,
      run_skips: 0,
      unread_jobs: 2,
      batch_answers: 2,
      check_urls: 3,
    });
    assert.equal(await getCheckDetailsFrom(ledger), null);

    assert.deepEqual(await pruneLedger(ledger, AGES), counted, 'exactly what was counted');
    assert.deepEqual(await countRows(ledger), {
      run_sitemaps: 2,
      run_skips: 0,
      unread_jobs: 1,
      batch_answers: 1,
      check_urls: 0,
    });
    assert.deepEqual(await readMoney(ledger), before);
    assert.equal(await getCheckDetailsFrom(ledger), ledger.now() - 30 * DAY);
    const none = { run_sitemaps: 0, run_skips: 0, unread_jobs: 0, batch_answers: 0, check_urls: 0 };
    assert.deepEqual(await pruneLedger(ledger, AGES), none, 'a second time there is nothing');
  });

  testLedger('does not make a bought URL due again, nor a found one checked again', async (ledger) => {
    await work(ledger);
    await pruneLedger(ledger, { runs: 0, batches: 0, index_checks: 0 });
    const diff = await crawled(ledger, 'r3', { a: ['1', '2', '3', '4', '5'] });
    assert.deepEqual([diff.new, diff.known], [1, 4]);
    await planRun(ledger, run('r3'), policies);
    const { batches } = await listPendingBatches(ledger, ACCOUNT.id);
    assert.equal(batches.length, 1);
    const recorded = await sendOne(ledger, batches[0]!.id);
    assert.equal(recorded.kind, 'accepted');
    const charged = (await getAccountTotals(ledger, ACCOUNT.id)).chargedEver;
    assert.equal(charged, (5 * QUARTER + 3 * 500_000) as Micros);
    ledger.pass(300 * DAY);
    const turn = await beginCheck(ledger, {
      account: ACCOUNT,
      watch: WATCH.id,
      spend: WATCH.spend,
      policy: checkPolicy,
    });
    assert.ok(turn.kind === 'send');
    assert.deepEqual(turn.urls, [shopUrl('4')], 'the only completed URL that was never found');
  });

  testLedger(
    'keeps the details of what is not over: in doubt, in review, open, and since the last finished run',
    async (ledger) => {
      await completeRun(ledger, 'r1', { a: ['1'] });
      await crawled(ledger, 'r2', { a: ['1', '2'] });
      await planRun(ledger, run('r2'), policies);
      const [batch] = (await listPendingBatches(ledger, ACCOUNT.id)).batches;
      await beginSend(ledger, batch!.id, policies);
      await ledger.db.run(sql`
      INSERT INTO batch_answers (batch_id, attempt, at, kind, charge_state) VALUES (${batch!.id}, 1, 0, 'retry', 'unknown')`);
      await endRun(ledger, run('r2'), 'finished');
      ledger.pass(HOUR);
      await crawled(ledger, 'r3', { a: ['1', '2', '3'] });
      await endRun(ledger, run('r3'), 'previewed');
      ledger.pass(400 * DAY);
      assert.deepEqual(await pruneLedger(ledger, AGES), {
        run_sitemaps: 1,
        run_skips: 0,
        unread_jobs: 0,
        batch_answers: 0,
        check_urls: 0,
      });
      const left = await ledger.db.all(sql<{ name: string }>`
      SELECT DISTINCT r.name FROM run_sitemaps AS s JOIN runs AS r ON r.id = s.run_id ORDER BY r.name`);
      assert.deepEqual(
        left.map(({ name }) => name),
        ['r2', 'r3'],
      );
      const diff = await crawled(ledger, 'r4', { a: ['1', '2', '3'] });
      assert.equal(diff.new, 1, 'what the plan found first is still new to the run');
    },
  );

  testLedger('keeps details in the archive first; where that fails, nothing is removed', async (ledger, t) => {
    await work(ledger);
    const folder = mkdtempSync(join(tmpdir(), 'courier-archive-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const before = await countRows(ledger);
    const archive = () => Promise.reject(new Error('no space'));
    await assert.rejects(pruneLedger(ledger, AGES, { archive }), /no space/);
    assert.deepEqual(await countRows(ledger), before);

    const old = [];
    for (const { table, owner } of DETAIL_TABLES) {
      const rows = await ledger.db.all(sql<Detail>`SELECT * FROM ${raw(table)} WHERE ${raw(owner)} = 1`);
      old.push(...rows.map((row) => ({ table, ...row })));
    }
    const kept = openArchive(join(folder, 'archive'), ledger.now());
    await pruneLedger(ledger, AGES, { archive: kept.keep });
    await kept.close();
    const [name] = readdirSync(join(folder, 'archive'));
    assert.match(name ?? '', /^courier-details-2026-03-16T120000-000Z\.jsonl\.gz$/);
    const text = gunzipSync(readFileSync(join(folder, 'archive', name!))).toString();
    assert.deepEqual(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
      old,
    );
  });

  testLedger('removes 30,000 rows in pages, and lets other writers in between', async (ledger) => {
    await work(ledger);
    const rows = Array.from({ length: 30_000 }, (_, n): Row => [1, 100 + n, 'complete', 1, 0, 0, 0]);
    const columns = {
      run_id: 'bigint',
      sitemap_id: 'bigint',
      verdict: 'text',
      urls: 'bigint',
      new_urls: 'bigint',
      changed: 'bigint',
      at: 'bigint',
    } as const;
    await ledger.db.tx((tx) => insertRows(tx, 'run_sitemaps', columns, rows));
    const waits: number[] = [];
    let over = false;
    const write = async () => {
      while (!over) {
        const began = performance.now();
        await ledger.db.tx((tx) => tx.run(sql`UPDATE watches SET served_at = served_at + 1`));
        waits.push(performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const writer = write();
    let pages = 0;
    const pruned = await pruneLedger(ledger, AGES, { onProgress: () => void pages++ });
    over = true;
    await writer;
    assert.equal(pruned.run_sitemaps, 30_002);
    assert.ok(pages >= 31, `${pages} pages`);
    assert.ok(waits.length >= pages / 2, `other writers wrote ${waits.length} times during ${pages} pages`);
  });

  testLedger('ends between two pages when it is told to', async (ledger) => {
    await work(ledger);
    const stop = new AbortController();
    const onProgress = () => stop.abort();
    await assert.rejects(pruneLedger(ledger, AGES, { signal: stop.signal, onProgress }), { name: 'AbortError' });
    const { run_sitemaps: left, check_urls: checks } = await countRows(ledger);
    assert.deepEqual([left, checks], [2, 3]);
    await pruneLedger(ledger, AGES);
    assert.equal((await countRows(ledger)).check_urls, 0);
  });

  testLedger('no query of it scans a table that grows', async (ledger) => {
    if (ledger.db.dialect !== 'sqlite') return;
    for (const table of DETAIL_TABLES) {
      const detail = { [table.owner]: 1, sitemap_id: 1, attempt: 1, position: 1, reason: 'x' };
      const queries: Query[] = [table.owners(0, 1, 10), selectDetails(table, [1], 10), deleteDetails(table, [detail])];
      for (const query of queries) {
        const plan = await ledger.db.all(sql<{ detail: string }>`${joinSql([raw('EXPLAIN QUERY PLAN'), query], ' ')}`);
        const text = plan.map(({ detail: step }) => step).join('\n');
        assert.doesNotMatch(
          text,
          /SCAN (r|f|runs|batches|checks|run_sitemaps|run_skips|batch_answers|check_urls)\b/,
          text,
        );
      }
    }
  });
});
