import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { sql } from '../../src/database/sql.ts';
import { type Bench, serviceTest, urlList } from '../../test/support/service.ts';
import { noteClock } from '../capacity/clock-jumps.ts';
import { expireOverdue } from './deadlines.ts';
import { begin, finish, recordOutcomes } from './transitions.ts';

const HOUR = 3_600_000;
const deadlines = { fast: HOUR, standard: 5 * HOUR };

describe('processing deadlines', () => {
  serviceTest(
    'spec 3: an unprocessed submission ends at the deadline of its service level, with a reason and a refund',
    async ({ client, db }) => {
      const fast = (await client.post('/submissions', 'deadline-key-1', { urls: urlList(4), service: 'fast' })).body
        .data;
      const standard = (await client.post('/submissions', 'deadline-key-2', { urls: urlList(1), service: 'standard' }))
        .body;
      const at = (ms: number) => ({ db, deadlines, refundFailed: true, now: () => Date.parse(fast.created_at) + ms });
      assert.equal(await expireOverdue(at(HOUR - 1)), 0);
      assert.equal(await expireOverdue(at(HOUR)), 1);
      const ended = await client.detail(fast.reference);
      assert.deepEqual([ended.status, ended.urls_failed, ended.refunded], ['failed', 4, 1]);
      assert.equal(ended.urls[0]?.reason, 'not processed before the deadline of its service level');
      assert.equal((await client.detail(standard.data.reference)).status, 'queued');
      assert.equal(await expireOverdue(at(HOUR)), 0, 'once');
      assert.equal(await client.balance(), 999.75);
    },
  );

  serviceTest(
    'spec 3: at the deadline, URLs with an outcome keep it, and a late worker changes nothing',
    async ({ client, db }) => {
      const { data } = (await client.post('/submissions', 'deadline-key-3', { urls: urlList(4), service: 'fast' }))
        .body;
      const { reference } = data;
      const created = Date.parse(data.created_at);
      await begin(db, reference, created);
      await recordOutcomes(db, reference, [{ position: 2, status: 'completed', reason: null }], created);
      await expireOverdue({ db, deadlines, refundFailed: false, now: () => created + HOUR });
      await recordOutcomes(db, reference, [{ position: 0, status: 'completed', reason: null }], created + HOUR);
      assert.equal(await begin(db, reference, created + HOUR), false);
      assert.equal(await finish(db, reference, { refundFailed: true, now: created + HOUR }), 'partial');
      const ended = await client.detail(reference);
      assert.deepEqual([ended.urls_completed, ended.urls_failed, ended.refunded], [1, 3, 0]);
      assert.deepEqual(
        ended.urls.map(({ status }) => status),
        ['failed', 'failed', 'completed', 'failed'],
      );
    },
  );

  const WEEK = 7 * 24 * HOUR;
  const SWEEP = 10_000;

  /** A service that looks at a clock every ten seconds; `step` is what the clock does meanwhile. */
  function looksAt({ db }: Bench, begin: number) {
    let at = begin;
    let next = 0;
    return {
      async look(step = SWEEP, elapsed = SWEEP) {
        at += step;
        await noteClock(db, at, next++ === 0 ? 0 : elapsed);
        return expireOverdue({ db, deadlines, refundFailed: true, now: () => at });
      },
      isAt: () => at,
    };
  }

  async function submitAt({ client, db }: Bench, at: number): Promise<string> {
    const key = `deadline-${at}-${Math.random()}`;
    const { reference } = (await client.post('/submissions', key, { urls: urlList(1), service: 'fast' })).body.data;
    await db.run(sql`UPDATE submissions SET created_at = ${at} WHERE reference = ${reference}`);
    return reference;
  }

  serviceTest('a clock that jumps ends nothing: a deadline is a length', async (bench) => {
    const clock = looksAt(bench, Date.now());
    const before = await submitAt(bench, clock.isAt());
    assert.equal(await clock.look(0, 0), 0);
    assert.equal(await clock.look(WEEK), 0, 'the clock jumped a week ahead');
    const during = await submitAt(bench, clock.isAt());
    assert.equal(await clock.look(HOUR - 20_000, HOUR - 20_000), 0);
    assert.equal(await clock.look(20_000, 20_000), 2, 'an hour has passed for both');
    for (const reference of [before, during]) assert.equal((await bench.client.detail(reference)).status, 'failed');
  });

  serviceTest('a clock that is set right again ends nothing early, and keeps nothing too long', async (bench) => {
    const clock = looksAt(bench, Date.now());
    const before = await submitAt(bench, clock.isAt());
    await clock.look(0, 0);
    await clock.look(WEEK);
    const during = await submitAt(bench, clock.isAt());
    assert.equal(await clock.look(-WEEK), 0);
    const after = await submitAt(bench, clock.isAt());
    assert.equal(await clock.look(HOUR / 2, HOUR / 2), 0);
    assert.equal(await clock.look(HOUR / 2, HOUR / 2), 3);
    for (const reference of [before, during, after])
      assert.equal((await bench.client.detail(reference)).status, 'failed');
  });

  serviceTest('the time in which no process ran does not count, and another process that looks does', async (bench) => {
    const clock = looksAt(bench, Date.now());
    await submitAt(bench, clock.isAt());
    await clock.look(0, 0);
    await noteClock(bench.db, clock.isAt() + 2 * HOUR, 0);
    assert.equal(await clock.look(2 * HOUR + SWEEP, 2 * HOUR + SWEEP), 0, 'two hours without a process');
    assert.equal(await clock.look(HOUR, HOUR), 1);
  });
});
