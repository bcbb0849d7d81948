import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPostgresPrograms, type PostgresServer, startPostgres } from '../../test/support/postgres-server.ts';
import { type Database, DatabaseUnavailableError } from './database.ts';
import { type Migration, migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import { raw, sql } from './sql.ts';

const programs = findPostgresPrograms();

const BEFORE: Migration[] = [{ name: 'things', statements: () => ['CREATE TABLE things (name TEXT, color TEXT)'] }];
const AFTER: Migration[] = [
  ...BEFORE,
  { name: 'red things', index: () => ({ name: 'red', table: 'things', columns: 'name', where: `color = 'red'` }) },
  { name: 'sizes', statements: () => ['ALTER TABLE things ADD COLUMN size TEXT'] },
];
const AT_ONCE = { pauseMs: 1, attempts: 1 };
const UNLIMITED = { pauseMs: 5, attempts: Infinity };

/** A server of its own: an index is finished only when every older statement in the database has ended. */
describe('an index of a large table, on Postgres', { skip: programs === null && 'Postgres is not installed' }, () => {
  let server: PostgresServer;
  let schemas = 0;
  before(async () => {
    server = await startPostgres(programs ?? '');
  });
  after(() => server.stop());

  /** A database of the older version with a large table, and programs that use it. */
  async function open(
    t: { after(undo: () => unknown): void },
    programCount: number,
    parameters = '',
  ): Promise<Database[]> {
    const url = `${server.url}${server.url.includes('?') ? '&' : '?'}schema=s${++schemas}${parameters}`;
    const opened = Array.from({ length: programCount }, () => openDatabase(url));
    for (const db of opened) t.after(() => db.close());
    await migrate(opened[0]!, 'test', BEFORE, 0);
    await opened[0]!.run(
      raw(
        `INSERT INTO things SELECT n::text, CASE n % 2 WHEN 0 THEN 'red' ELSE 'blue' END FROM generate_series(1, 20000) n`,
      ),
    );
    return opened;
  }

  /** A transaction that an index must wait for, until the returned function is called. */
  async function holdSnapshot(db: Database): Promise<() => Promise<void>> {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = db.tx(async (tx) => {
      await tx.run(raw('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ'));
      await tx.run(sql`INSERT INTO things (name) VALUES ('held')`);
      begun.resolve();
      await end.promise;
    });
    await begun.promise;
    return async () => {
      end.resolve();
      await held;
    };
  }

  /** The process of Postgres that builds an index, as soon as the index is there and waits for the transaction above. */
  async function findBuilder(db: Database): Promise<number> {
    for (;;) {
      const row = await db.get(
        sql<{ pid: number }>`SELECT pid FROM pg_stat_progress_create_index WHERE phase LIKE 'waiting for writers%'`,
      );
      if (row !== undefined) return row.pid;
      await sleep(5);
    }
  }

  const isValid = async (db: Database) =>
    (
      await db.get(
        sql<{ valid: boolean }>`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('red')`,
      )
    )?.valid;
  const listVersions = async (db: Database) =>
    (await db.all(sql<{ version: number }>`SELECT version FROM schema_migrations ORDER BY version`)).map(
      ({ version }) => version,
    );

  test('is built while programs write to the table, and the steps after it follow', async (t) => {
    const [worker, upgraded] = await open(t, 2);
    const release = await holdSnapshot(worker!);
    const migration = migrate(upgraded!, 'test', AFTER, 0, UNLIMITED);
    await findBuilder(worker!);
    // A plain CREATE INDEX would let these wait for the transaction that it waits for itself.
    for (let n = 0; n < 20; n++) await worker!.run(sql`INSERT INTO things (name, color) VALUES ('beside', 'red')`);
    assert.deepEqual([await isValid(worker!), await listVersions(worker!)], [false, [1]]);
    await release();
    await migration;
    assert.deepEqual([await isValid(worker!), await listVersions(worker!)], [true, [1, 2, 3]]);
    await worker!.run(raw('SET enable_seqscan = off'));
    const { found } = await worker!.one(
      sql<{ found: number }>`SELECT count(*) AS found FROM things WHERE name = 'beside' AND color = 'red'`,
    );
    assert.equal(found, 20);
  });

  test('is dropped and built again when Postgres ended the first attempt', async (t) => {
    const [worker, upgraded] = await open(t, 2);
    const release = await holdSnapshot(worker!);
    const failed = assert.rejects(migrate(upgraded!, 'test', AFTER, 0, UNLIMITED), DatabaseUnavailableError);
    await worker!.get(sql`SELECT pg_terminate_backend(${await findBuilder(worker!)})`);
    await failed;
    await release();
    assert.deepEqual([await isValid(worker!), await listVersions(worker!)], [false, [1]]);
    await migrate(upgraded!, 'test', AFTER, 0, UNLIMITED);
    assert.deepEqual([await isValid(worker!), await listVersions(worker!)], [true, [1, 2, 3]]);
  });

  test('is not recorded yet when the program ended after it was built: the next one finds it and goes on', async (t) => {
    const [worker, upgraded] = await open(t, 2);
    await worker!.run(raw(`CREATE INDEX red ON things (name) WHERE color = 'red'`));
    const { oid } = await worker!.one(sql<{ oid: number }>`SELECT 'red'::regclass::oid AS oid`);
    await migrate(upgraded!, 'test', AFTER, 0, AT_ONCE);
    assert.equal((await worker!.one(sql<{ oid: number }>`SELECT 'red'::regclass::oid AS oid`)).oid, oid);
    assert.deepEqual(await listVersions(worker!), [1, 2, 3]);
  });

  test('is built by one of several programs that start at once; the others wait for it', async (t) => {
    const [worker, first, second, third] = await open(t, 4);
    const release = await holdSnapshot(worker!);
    const migrations = [migrate(first!, 'test', AFTER, 0, UNLIMITED)];
    const builder = await findBuilder(worker!);
    await assert.rejects(
      migrate(second!, 'test', AFTER, 0, AT_ONCE),
      /The index red is being built.* Try again when it is done/,
    );
    migrations.push(migrate(second!, 'test', AFTER, 0, UNLIMITED), migrate(third!, 'test', AFTER, 0, UNLIMITED));
    assert.equal(await findBuilder(worker!), builder);
    await release();
    await Promise.all(migrations);
    assert.deepEqual([await isValid(worker!), await listVersions(worker!)], [true, [1, 2, 3]]);
  });

  test('is built in the transaction behind a pooler, which has no connection of its own to give', async (t) => {
    const [db] = await open(t, 1, '&pooler=transaction');
    await migrate(db!, 'test', AFTER, 0, AT_ONCE);
    assert.deepEqual(await listVersions(db!), [1, 2, 3]);
  });
});
