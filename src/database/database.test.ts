import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, TEST_DIALECTS, testOnEach } from '../../test/support/database.ts';
import { openProxy } from '../../test/support/database-proxy.ts';
import { DatabaseUnavailableError, NoRowError, OutcomeUnknownError, type Queryable } from './database.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open.ts';
import { compile, eachText, join, sql } from './sql.ts';

const tables = [
  {
    name: 'accounts',
    statements: (t: { id: string; bytes: string }) => [
      `CREATE TABLE accounts (id ${t.id}, name TEXT NOT NULL UNIQUE, hash ${t.bytes}, balance BIGINT NOT NULL CHECK (balance >= 0))`,
    ],
  },
];

describe('database', () => {
  test('the same template is one text per database, values apart', () => {
    const query = sql`SELECT ${1} AS a WHERE ${join([sql`x = ${'y'}`, sql`z = ${null}`], ' AND ')}`;
    assert.deepEqual(compile(query, 'sqlite'), { text: 'SELECT ? AS a WHERE x = ? AND z = ?', values: [1, 'y', null] });
    assert.equal(compile(query, 'postgres').text, 'SELECT $1 AS a WHERE x = $2 AND z = $3');
  });

  testOnEach('values of every kind come back as they went in', async (db) => {
    await migrate(db, 'test', tables, 0);
    const name = "Ürün'); DROP TABLE accounts; --";
    await db.run(
      sql`INSERT INTO accounts (name, hash, balance) VALUES (${name}, ${new Uint8Array([0, 255])}, ${2 ** 53 - 1})`,
    );
    const row = await db.get(
      sql<{ name: string; hash: Uint8Array; balance: number }>`SELECT name, hash, balance FROM accounts`,
    );
    assert.equal(row?.name, name);
    assert.deepEqual([...(row?.hash ?? [])], [0, 255]);
    assert.equal(row?.balance, 2 ** 53 - 1);
  });

  testOnEach('one() returns the row and throws when there is none, inside and outside of a transaction', async (db) => {
    assert.equal((await db.one(sql<{ a: number }>`SELECT 1 AS a`)).a, 1);
    await assert.rejects(db.one(sql`SELECT 1 AS a WHERE 1 = 2`), {
      name: 'NoRowError',
      message: /no row: SELECT 1 AS a/,
    });
    await assert.rejects(
      db.tx((tx) => tx.one(sql`SELECT 1 AS a WHERE 1 = 2`)),
      NoRowError,
    );
  });

  testOnEach('a transaction is whole or nothing', async (db) => {
    await migrate(db, 'test', tables, 0);
    await assert.rejects(
      db.tx(async (tx) => {
        await tx.run(sql`INSERT INTO accounts (name, balance) VALUES ('a', 1)`);
        throw new Error('stop');
      }),
      /stop/,
    );
    assert.deepEqual(await db.all(sql`SELECT * FROM accounts`), []);
  });

  testOnEach('parallel spending never goes below zero', async (db) => {
    await migrate(db, 'test', tables, 0);
    await db.run(sql`INSERT INTO accounts (name, balance) VALUES ('a', 7)`);
    const spend = () =>
      db.tx(
        async (tx) =>
          (await tx.run(sql`UPDATE accounts SET balance = balance - 1 WHERE name = 'a' AND balance >= 1`)).changes,
      );
    const spent = await Promise.all(Array.from({ length: 20 }, spend));
    assert.equal(
      spent.reduce((a, b) => a + b, 0),
      7,
    );
  });

  testOnEach('a read outside does not see an open transaction', async (db) => {
    await migrate(db, 'test', tables, 0);
    await db.tx(async (tx) => {
      await tx.run(sql`INSERT INTO accounts (name, balance) VALUES ('a', 1)`);
      assert.equal((await db.all(sql`SELECT 1 FROM accounts`)).length, 0);
    });
    assert.equal((await db.all(sql`SELECT 1 FROM accounts`)).length, 1);
  });

  testOnEach('a list of texts is one parameter, in order', async (db) => {
    const rows = await db.all(sql<{ key: number; value: string }>`
    SELECT key, value FROM ${eachText(['b', 'a', "quote's \u{1f600}"])} AS e ORDER BY key`);
    assert.deepEqual(
      rows.map((row) => [row.key, row.value]),
      [
        [0, 'b'],
        [1, 'a'],
        [2, "quote's \u{1f600}"],
      ],
    );
  });

  testOnEach('processes that start together migrate once', async (db, t, url) => {
    const others = [openDatabase(url), openDatabase(url)];
    t.after(() => Promise.all(others.map((other) => other.close())));
    await Promise.all([db, ...others].map((each) => migrate(each, 'test', tables, 0)));
    assert.equal((await db.all(sql`SELECT 1 FROM schema_migrations`)).length, 1);
  });

  testOnEach('a database newer than the program is left alone', async (db) => {
    await migrate(db, 'test', [...tables, { name: 'later', statements: () => [] }], 0);
    await assert.rejects(migrate(db, 'test', tables, 0), /version 2, and this program knows 1/);
  });

  test('an unknown kind of database is named in the error', () => {
    assert.throws(() => openDatabase('mysql://x'), /mysql:.*sqlite:PATH or postgres/);
  });

  test('transactions that share a commit are each whole or nothing, in order, and durable when they resolve', async (t) => {
    const url = emptyDatabaseUrl(t, 'sqlite');
    const db = openDatabase(url, { groupCommit: true });
    const other = openDatabase(url);
    t.after(() => Promise.all([db.close(), other.close()]));
    await migrate(db, 'test', tables, 0);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        db.tx(async (tx) => {
          await tx.run(sql`INSERT INTO accounts (name, balance) VALUES (${`a${index}`}, ${index})`);
          if (index % 5 === 0) throw new Error('stop');
          const seen = await tx.get(sql<{ count: number }>`SELECT count(*) AS count FROM accounts`);
          return seen?.count;
        }),
      ),
    );
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      Array.from({ length: 50 }, (_, index) => (index % 5 === 0 ? 'rejected' : 'fulfilled')),
    );
    assert.deepEqual(outcomes.at(-1), { status: 'fulfilled', value: 40 });
    assert.equal((await other.all(sql`SELECT 1 FROM accounts`)).length, 40);
  });

  test('a Postgres connection that ends within a transaction costs that transaction and nothing else', {
    skip: !(TEST_DIALECTS as readonly string[]).includes('postgres') && 'COURIER_TEST_POSTGRES is not set',
  }, async (t) => {
    const db = openDatabase(emptyDatabaseUrl(t, 'postgres'));
    t.after(() => db.close());
    await migrate(db, 'test', tables, 0);
    const terminate = async (tx: Queryable) => {
      const row = await tx.get(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`);
      await db.run(sql`SELECT pg_terminate_backend(${row!.pid})`);
    };
    const insert = (name: string) => sql`INSERT INTO accounts (name, balance) VALUES (${name}, 1)`;
    // Between two statements, with the event loop running: the error of the connection finds no query to reject.
    const idle = db.tx(async (tx) => {
      await tx.run(insert('idle'));
      await terminate(tx);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await tx.run(insert('later'));
    });
    await assert.rejects(idle, DatabaseUnavailableError);
    const atOnce = db.tx(async (tx) => {
      await terminate(tx);
      await tx.run(insert('at once'));
    });
    await assert.rejects(atOnce, DatabaseUnavailableError);
    await db.run(insert('next'));
    assert.deepEqual(await db.all(sql`SELECT name FROM accounts`), [{ name: 'next' }]);
  });

  const onPostgres = {
    skip: !(TEST_DIALECTS as readonly string[]).includes('postgres') && 'COURIER_TEST_POSTGRES is not set',
  };

  test(
    'on Postgres a statement, a lock and an idle transaction end at their limits, and the pool continues',
    onPostgres,
    async (t) => {
      const url = emptyDatabaseUrl(t, 'postgres');
      const db = openDatabase(url, { postgres: { statementMs: 400, lockMs: 200, idleMs: 300 } });
      const other = openDatabase(url);
      t.after(() => Promise.all([db.close(), other.close()]));
      await migrate(other, 'test', tables, 0);
      await other.run(sql`INSERT INTO accounts (name, balance) VALUES ('a', 1)`);
      const update = sql`UPDATE accounts SET balance = 2 WHERE name = 'a'`;
      await assert.rejects(db.run(sql`SELECT pg_sleep(5)`), DatabaseUnavailableError);
      await other.tx(async (tx) => {
        await tx.run(update);
        const blocked = Array.from({ length: 12 }, () => assert.rejects(db.run(update), DatabaseUnavailableError));
        await Promise.all(blocked);
      });
      const frozen = db.tx(async (tx) => {
        await tx.run(update);
        await new Promise((resolve) => setTimeout(resolve, 700));
        await tx.run(update);
      });
      await assert.rejects(frozen, DatabaseUnavailableError);
      assert.equal((await db.run(update)).changes, 1);
    },
  );

  test('a Postgres database that only reads is unavailable for writing', onPostgres, async (t) => {
    const url = emptyDatabaseUrl(t, 'postgres');
    const db = openDatabase(url);
    t.after(() => db.close());
    await migrate(db, 'test', tables, 0);
    const insert = db.tx(async (tx) => {
      await tx.run(sql`SET TRANSACTION READ ONLY`);
      await tx.run(sql`INSERT INTO accounts (name, balance) VALUES ('a', 1)`);
    });
    await assert.rejects(
      insert,
      (error: Error) => error instanceof DatabaseUnavailableError && !(error instanceof OutcomeUnknownError),
    );
  });

  test('a lost answer to a COMMIT is an unknown outcome, not one that did not happen', onPostgres, async (t) => {
    const direct = new URL(emptyDatabaseUrl(t, 'postgres'));
    const proxy = await openProxy(direct);
    const db = openDatabase(Object.assign(new URL(direct), { host: `127.0.0.1:${proxy.port}` }).href);
    t.after(async () => {
      await proxy.cut();
      await db.close();
    });
    await migrate(db, 'test', tables, 0);
    const insert = (name: string) => sql`INSERT INTO accounts (name, balance) VALUES (${name}, 1)`;
    const committing = db.tx(async (tx) => {
      await tx.run(insert('committed'));
      proxy.dropAnswers();
    });
    await assert.rejects(committing, OutcomeUnknownError);
    await proxy.cut();
    await proxy.restore();
    const before = db.tx(async (tx) => {
      await tx.run(insert('lost'));
      await proxy.cut();
      await proxy.restore();
      await tx.run(insert('later'));
    });
    await assert.rejects(
      before,
      (error: Error) => error instanceof DatabaseUnavailableError && !(error instanceof OutcomeUnknownError),
    );
    assert.deepEqual(await db.all(sql`SELECT name FROM accounts`), [{ name: 'committed' }]);
  });
});
