import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { runExactClient } from '../../../test/load/limits/run.ts';
import { testOnEachDialect } from '../../../test/support/database.ts';

/** The real limits: `npm run load:limits`. On SQLite they are large enough that requests are counted in buckets. */
const LIMITS = {
  sqlite: { minute: 120, hour: 1_010, day: 2_020 },
  postgres: { minute: 20, hour: 100, day: 200 },
};

describe('a client that keeps exactly to its limits for two days', () => {
  testOnEachDialect('spec 8: no request is refused, and each one more than a limit is', async (t, dialect) => {
    const limits = LIMITS[dialect];
    const { sent, refused, oneMore, oneMoreRefused, wrongRetryAfter } = await runExactClient(t, dialect, limits);
    assert.deepEqual([sent, refused, wrongRetryAfter], [2 * limits.day, 0, 0]);
    assert.deepEqual([oneMore, oneMoreRefused], [3, 3]);
  });
});
