import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { migrate } from '../../src/database/migrate.ts';
import { type Query, raw, sql } from '../../src/database/sql.ts';
import { testOnEach } from '../../test/support/database.ts';
import { MIGRATIONS } from '../migrations.ts';

const IN_USE = [
  "INSERT INTO accounts (name, balance, price_standard, price_fast, created_at) VALUES ('shop', 500000, 250000, 500000, 1)",
  "INSERT INTO entries (account_id, kind, amount, balance_after, subject, created_at) VALUES (1, 'top_up', 1000000, 1000000, 'opening', 1)",
  "INSERT INTO entries (account_id, kind, amount, balance_after, subject, created_at) VALUES (1, 'charge', -500000, 500000, 'chk_1', 2)",
  "INSERT INTO entries (account_id, kind, amount, balance_after, subject, reverses, created_at) VALUES (1, 'restore', 500000, 1000000, 'chk_1', 2, 3)",
  "INSERT INTO entries (account_id, kind, amount, balance_after, subject, created_at) VALUES (1, 'charge', -500000, 500000, 'chk_2', 4)",
];

describe('service migrations', () => {
  testOnEach('a database of the first version keeps its entries, checks and account ids', async (db) => {
    const rows = async (query: Query) => (await db.all(query)).map((row) => ({ ...(row as object) }));
    await migrate(db, 'service', MIGRATIONS.slice(0, 1), 0);
    for (const statement of IN_USE) await db.run(raw(statement));
    await db.run(sql`
    INSERT INTO index_checks (id, account_id, fingerprint, status, urls, url_count, price, charged, charge_id,
      lease_until, created_at)
    VALUES ('chk_2', 1, ${Buffer.from('x')}, 'done', '[]', 1, 500000, 500000, 4, 9, 4)`);
    const before = await db.all(
      sql`SELECT id, kind, amount, balance_after, subject, reverses FROM entries ORDER BY id`,
    );

    await migrate(db, 'service', MIGRATIONS, 5);

    assert.deepEqual(
      await db.all(sql`SELECT id, kind, amount, balance_after, subject, reverses FROM entries ORDER BY id`),
      before,
    );
    assert.deepEqual(await rows(sql`SELECT public_id, status FROM accounts`), [{ public_id: '1', status: 'active' }]);
    assert.deepEqual(await rows(sql`SELECT service, price FROM prices ORDER BY id`), [
      { service: 'standard', price: 250_000 },
      { service: 'fast', price: 500_000 },
    ]);
    await db.run(
      raw(
        "INSERT INTO entries (account_id, kind, amount, balance_after, subject, reference, created_at) VALUES (1, 'adjustment', 1, 500001, 'x', 'r', 6)",
      ),
    );
    await assert.rejects(
      db.run(raw('DELETE FROM entries WHERE id = 4')),
      /foreign key/i,
      'the check still refers to its charge',
    );
    await assert.rejects(
      db.run(
        raw(
          "INSERT INTO entries (account_id, kind, amount, balance_after, subject, reverses, created_at) VALUES (1, 'restore', 1, 1, 'chk_1', 2, 7)",
        ),
      ),
      /unique/i,
      'a charge is reversed once',
    );
  });
});
