import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS, testOnEach } from '../../test/support/database.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { raw, sql } from '../database/sql.ts';
import { LEDGER_MIGRATIONS } from './migrations.ts';

const live = TEST_DIALECTS.includes('postgres') ? {} : { skip: 'COURIER_TEST_POSTGRES names no Postgres' };

const insert = (id: number, state: string) => sql`
  INSERT INTO urls (id, fp, watch_id, sitemap_id, url, first_run, state)
  VALUES (${id}, ${id}, 1, 1, ${`https://shop.example/${id}`}, 1, ${state})`;

describe('the quarantine', () => {
  testOnEach('follows the state of a URL', async (db) => {
    await migrate(db, 'ledger', LEDGER_MIGRATIONS, 1);
    const list = async () =>
      (await db.all(sql<{ id: number }>`SELECT id FROM urls WHERE quarantined ORDER BY id`)).map(({ id }) => id);
    for (const [id, state] of [
      [1, 'quarantined'],
      [2, 'known'],
      [3, 'quarantined'],
      [4, 'submitted'],
      [5, 'submitted'],
    ] as const)
      await db.run(insert(id, state));
    assert.deepEqual(await list(), [1, 3], 'inserted');
    await db.run(sql`UPDATE urls SET state = 'quarantined', failures = 3 WHERE state = 'submitted'`);
    assert.deepEqual(await list(), [1, 3, 4, 5], 'quarantined');
    await db.run(sql`UPDATE urls SET reason_code = 'reported' WHERE state = 'quarantined'`);
    await db.run(sql`UPDATE urls SET state = 'quarantined' WHERE id = 5`);
    assert.deepEqual(await list(), [1, 3, 4, 5], 'changed otherwise');
    await db.run(sql`UPDATE urls SET state = 'held', due = 'released' WHERE id IN (1, 4)`);
    assert.deepEqual(await list(), [3, 5], 'released');
    await db.run(sql`
      INSERT INTO urls (id, fp, watch_id, sitemap_id, url, first_run, state) VALUES (9, 3, 1, 1, 'x', 1, 'known')
      ON CONFLICT (fp, watch_id) DO UPDATE SET state = 'held'`);
    assert.deepEqual(await list(), [5], 'released by an upsert');
  });
});

describe('what happens to a URL after it is planned, on Postgres', live, () => {
  test('changes no column of an index of urls, so that Postgres need not write them', async (t) => {
    const db = openDatabase(emptyDatabaseUrl(t, 'postgres'));
    t.after(() => db.close());
    await migrate(db, 'ledger', LEDGER_MIGRATIONS, 1);
    const definitions = await db.all(sql<{ text: string }>`
      SELECT pg_get_indexdef(indexrelid) AS text FROM pg_index WHERE indrelid = 'urls'::regclass`);
    const indexed = definitions.map(({ text }) => text.replace(/^.* USING /, '')).join('\n');
    assert.match(indexed, /\bfp\b/);
    assert.doesNotMatch(indexed, /\b(state|bought_at|completed_at|failures|reason_code|reason_params)\b/);
  });

  test('leaves rows in their pages, but for those that do not fit any more', async (t) => {
    const db = openDatabase(emptyDatabaseUrl(t, 'postgres'));
    t.after(() => db.close());
    await migrate(db, 'ledger', LEDGER_MIGRATIONS, 1);
    await db.run(
      raw(`INSERT INTO urls (fp, watch_id, sitemap_id, url, first_run, state)
        SELECT n, 1, 1, 'https://shop.example/products/' || n, 1, 'planned' FROM generate_series(1, 2000) n`),
    );
    const before = await listPages(db);
    await db.run(sql`UPDATE urls SET state = 'submitted', bought_at = 1`);
    const after = await listPages(db);
    const stayed = after.filter((page, at) => page === before[at]).length;
    assert.ok(stayed > 1_600, `${stayed} of 2,000 rows stayed in their page`);
  });
});

/** The page of each URL. */
async function listPages(db: Database): Promise<readonly string[]> {
  const rows = await db.all(sql<{ page: string }>`
    SELECT split_part(ctid::text, ',', 1) AS page FROM urls ORDER BY id`);
  return rows.map(({ page }) => page);
}
