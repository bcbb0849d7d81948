import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { migrate } from '../../../src/database/migrate.ts';
import { testOnEach } from '../../../test/support/database.ts';
import { MIGRATIONS } from '../../migrations.ts';
import { localLimiter } from './local-limiter.ts';

const wide = { limit: 1_000_000, windowMs: 60_000 };
const settings = { minute: { limit: 2, windowMs: 60_000 }, hour: wide, day: wide, submissions: wide };

describe('local limiter', () => {
  testOnEach('a key that is evicted and returns keeps its counts; the key in use is not evicted', async (db) => {
    await migrate(db, 'service', MIGRATIONS, 0);
    const errors: unknown[] = [];
    const limiter = localLimiter(
      db,
      settings,
      () => 1_000_000,
      (error) => errors.push(error),
      2,
    );
    await limiter.take('a', false, db);
    await limiter.take('a', false, db);
    await limiter.close();
    for (const key of ['b', 'c', 'd']) {
      await limiter.take(key, false, db);
      await limiter.close();
    }
    assert.ok(!(await limiter.take('a', false, db)).allowed);
    assert.ok((await limiter.take('d', false, db)).allowed);
    assert.ok(!(await limiter.take('d', false, db)).allowed);
    assert.deepEqual(errors, []);
  });
});
