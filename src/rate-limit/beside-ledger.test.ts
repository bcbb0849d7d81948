import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { emptyDatabaseUrl, testOnEachDialect } from '../../test/support/database.ts';
import { openDatabase } from '../database/open.ts';
import { sql } from '../database/sql.ts';
import { openRateLimitsBeside } from './limiter.ts';
import { toRateLimits } from './limits.ts';

describe('rate limits beside an open ledger', () => {
  testOnEachDialect('use its connections on Postgres, and leave it open when they are closed', async (t, dialect) => {
    const url = emptyDatabaseUrl(t, dialect);
    const db = openDatabase(url);
    t.after(() => db.close());
    const limits = await openRateLimitsBeside({ db }, url);
    const limiter = limits.getLimiter('main', toRateLimits());
    // More at the same time than there are connections.
    const permits = await Promise.all(Array.from({ length: 30 }, () => limiter.acquire('poll')));
    assert.deepEqual(new Set(permits.map(({ kind }) => kind)), new Set(['permit']));
    const { keys } =
      dialect === 'sqlite'
        ? { keys: 0 }
        : await db.one(sql<{ keys: number }>`SELECT count(*) AS keys FROM rate_limit_keys`);
    assert.equal(keys, dialect === 'sqlite' ? 0 : 1);
    if (dialect === 'postgres') assert.equal(db.getPool?.().total, 10);
    await limits.close();
    assert.equal((await db.one(sql<{ open: number }>`SELECT 1 AS open`)).open, 1);
  });
});
