import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { HOT_QUERIES } from '../../test/support/hot-queries.ts';
import { DAY, WATCH } from '../../test/support/ledger.ts';
import { workForWeeks } from '../../test/support/ledger-work.ts';
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
import type { WatchId } from '../submission/ids.ts';
import { type Ledger, ledgerOver } from './open-ledger.ts';

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
  'journal',
  'journal_totals',
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
  for (const table of ['urls', 'batches', 'journal', 'checks', 'runs', 'watches', 'sitemaps']) {
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
  const configured = [WATCH.id, ...watches.map((name) => name as WatchId)];
  await workForWeeks(ledger, configured, () => {
    now += 4 * DAY;
  });
  await multiplyStatistics(plain, LARGE, TIMES);
  const distinct = new Map(statements.map(({ text, query }) => [text, query]));
  return { ledger: { ...ledger, db: plain }, statements: [...distinct.values()] };
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
