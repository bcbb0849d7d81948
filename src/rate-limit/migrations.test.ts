import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { emptyDatabaseUrl, testOnEachDialect } from '../../test/support/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import { raw, sql } from '../database/sql.ts';
import type { Reference } from '../submission/ids.ts';
import { getRateLimitUrl, openRateLimits } from './limiter.ts';
import { toRateLimits } from './limits.ts';
import { RATE_LIMIT_MIGRATIONS } from './migrations.ts';

describe('rate-limit migrations', () => {
  testOnEachDialect('requests counted by an earlier release still count under the new names', async (t, dialect) => {
    const url = emptyDatabaseUrl(t, dialect);
    const db = openDatabase(getRateLimitUrl(url), { synchronous: 'NORMAL' });
    const at = Date.now();
    await migrate(db, 'budget', RATE_LIMIT_MIGRATIONS.slice(0, 3), at);
    await db.run(sql`INSERT INTO budget_keys (budget, requests, submissions, last_at) VALUES ('main', 2, 1, ${at})`);
    for (const [kind, number] of [
      [0, 1],
      [0, 2],
      [1, 1],
      [2, 1],
    ]) {
      await db.run(sql`
      INSERT INTO budget_requests (budget, kind, number, at) VALUES ('main', ${kind ?? 0}, ${number ?? 0}, ${at})`);
    }
    await db.run(sql`INSERT INTO budget_flights (budget, submission, since) VALUES ('main', 0, ${at})`);
    await db.run(sql`
    INSERT INTO job_sightings (account, reference, state, at) VALUES ('main', 'R-1', 'processing', ${at})`);
    await db.run(raw("INSERT INTO asking_turns (account, turn, until) VALUES ('main', 4, 0)"));

    await db.close();

    const limits = await openRateLimits(url);
    t.after(() => limits.close());
    const remaining = await limits.getLimiter('main', toRateLimits()).getRemaining();
    assert.deepEqual([remaining.minute, remaining.submissions], [117, 9]);
    const cache = limits.getJobStatusCache('main');
    const cached = await cache.get(['R-1' as Reference]);
    assert.deepEqual(
      cached.map(({ state }) => state),
      ['processing'],
    );
    assert.notEqual(await cache.acquireLease(), null);
  });
});
