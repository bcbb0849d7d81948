import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { emptyDatabaseUrl, testOnEach } from '../../test/support/database.ts';
import { sql } from '../database/sql.ts';
import { openLedger } from './open-ledger.ts';

describe('open ledger', () => {
  testOnEach('a ledger keeps its id, whoever opens it first', async (_db, _t, url) => {
    const opened = await Promise.all([openLedger(url), openLedger(url)]);
    const again = await openLedger(url);
    const other = await openLedger('sqlite::memory:');
    assert.match(again.id, /^[0-9a-z]{8}$/);
    assert.deepEqual(
      opened.map(({ id }) => id),
      [again.id, again.id],
    );
    assert.notEqual(other.id, again.id);
    await Promise.all([...opened, again, other].map((ledger) => ledger.close()));
  });

  test('is opened while another process writes, once its tables are up to date', async (t) => {
    const url = emptyDatabaseUrl(t, 'sqlite');
    await (await openLedger(url)).close();
    const other = new DatabaseSync(url.slice('sqlite:'.length));
    t.after(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await (await openLedger(url)).close();
  });

  test('a writer waits while another process writes the plan of a large watch', async (t) => {
    const url = emptyDatabaseUrl(t, 'sqlite');
    const ledger = await openLedger(url);
    const other = new DatabaseSync(url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    // Longer than SQLite's usual wait of five seconds.
    setTimeout(() => other.exec('COMMIT'), 6_000);
    const { changes } = await ledger.db.run(sql`INSERT INTO ledger_settings (name, value) VALUES ('waited', 'yes')`);
    assert.equal(changes, 1);
    other.close();
    await ledger.close();
  });
});
