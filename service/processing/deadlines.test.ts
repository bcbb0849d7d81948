import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Queryable } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import { type Bench, serviceTest, urlList } from '../../test/support/service.ts';
import { type Clock, type Moment, openClock, ranAt } from '../capacity/clock.ts';
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
      const accepted = await readRanAt(db, fast.reference);
      const afterMs = (ms: number) =>
        expireOverdue({ db, deadlines, refundFailed: true }, toMoment(Date.now(), accepted + ms));
      assert.equal(await afterMs(HOUR - 1), 0);
      assert.equal(await afterMs(HOUR), 1);
      const ended = await client.detail(fast.reference);
      assert.deepEqual([ended.status, ended.urls_failed, ended.refunded], ['failed', 4, 1]);
      assert.equal(ended.urls[0]?.reason, 'not processed before the deadline of its service level');
      assert.equal((await client.detail(standard.data.reference)).status, 'queued');
      assert.equal(await afterMs(HOUR), 0, 'once');
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
      const late = toMoment(created + HOUR, (await readRanAt(db, reference)) + HOUR);
      await expireOverdue({ db, deadlines, refundFailed: false }, late);
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

  /** A process that looks at a clock every ten seconds; `step` is what the clock does meanwhile. */
  async function looksAt({ db }: Bench, begin: number) {
    let at = begin;
    let steady = 0;
    const clock = await openClock(db, { wall: () => at, steady: () => steady, read: async () => at });
    return {
      clock,
      async look(step = SWEEP, elapsed = SWEEP) {
        at += step;
        steady += elapsed;
        return expireOverdue({ db, deadlines, refundFailed: true }, await clock.look());
      },
    };
  }

  let keys = 0;
  /** Accepts a submission when this clock says so. */
  async function submitAt({ client, db }: Bench, { now }: Clock): Promise<string> {
    const key = `deadline-jump-${++keys}`;
    const { reference } = (await client.post('/submissions', key, { urls: urlList(1), service: 'fast' })).body.data;
    await db.run(sql`UPDATE submissions SET ran_at = ${ranAt(now())} WHERE reference = ${reference}`);
    return reference;
  }

  serviceTest('a clock that jumps ends nothing: a deadline is a length', async (bench) => {
    const { clock, look } = await looksAt(bench, Date.now());
    assert.equal(await look(0, 0), 0);
    const before = await submitAt(bench, clock);
    assert.equal(await look(WEEK), 0, 'the clock jumped a week ahead');
    const during = await submitAt(bench, clock);
    assert.equal(await look(HOUR - 20_000, HOUR - 20_000), 0);
    assert.equal(await look(20_000, 20_000), 2, 'an hour has passed for both');
    for (const reference of [before, during]) assert.equal((await bench.client.detail(reference)).status, 'failed');
  });

  serviceTest('a clock that is set right again ends nothing early, and keeps nothing too long', async (bench) => {
    const { clock, look } = await looksAt(bench, Date.now());
    await look(0, 0);
    const before = await submitAt(bench, clock);
    await look(WEEK);
    const during = await submitAt(bench, clock);
    assert.equal(await look(-WEEK), 0);
    const after = await submitAt(bench, clock);
    assert.equal(await look(HOUR / 2, HOUR / 2), 0);
    assert.equal(await look(HOUR / 2, HOUR / 2), 3);
    for (const reference of [before, during, after])
      assert.equal((await bench.client.detail(reference)).status, 'failed');
  });

  serviceTest('what is accepted by a clock that nobody has looked at yet ends no earlier', async (bench) => {
    const { look } = await looksAt(bench, Date.now());
    await look(0, 0);
    const behind = await submitAt(bench, { now: () => Date.now() - WEEK } as Clock);
    const ahead = await submitAt(bench, { now: () => Date.now() + WEEK } as Clock);
    assert.equal(await look(HOUR - SWEEP, HOUR - SWEEP), 0);
    assert.equal(await look(SWEEP + 60_000, SWEEP + 60_000), 2, 'and at most a minute later');
    for (const reference of [behind, ahead]) assert.equal((await bench.client.detail(reference)).status, 'failed');
  });

  serviceTest('the time in which no process ran does not count, and another process that looks does', async (bench) => {
    const first = await looksAt(bench, Date.now());
    await first.look(0, 0);
    await submitAt(bench, first.clock);
    const second = await looksAt(bench, first.clock.now() + 2 * HOUR);
    assert.equal(await second.look(0, 0), 0);
    assert.equal(await first.look(2 * HOUR + SWEEP, 2 * HOUR + SWEEP), 0, 'two hours without a process');
    assert.equal(await first.look(HOUR, HOUR), 1);
  });

  serviceTest(
    'the clock of a host that lags by more than the deadline ends nothing',
    async ({ client, db }) => {
      const { reference, created_at } = (await client.post('/submissions', 'deadline-lag-1', { urls: urlList(1) })).body
        .data;
      const right = await openClock(db);
      assert.equal(await expireOverdue({ db, deadlines, refundFailed: true }, await right.look()), 0);
      assert.equal((await client.detail(reference)).status, 'queued');
      if (db.dialect === 'postgres')
        assert.ok(Math.abs(Date.parse(created_at) - right.now()) < HOUR, 'accepted by the clock of the database');
    },
    { now: () => Date.now() - 2 * WEEK },
  );
});

const toMoment = (at: number, ran: number): Moment => ({ at, ran, believed: at });

async function readRanAt(db: Queryable, reference: string): Promise<number> {
  const row = await db.one(sql<{ ran_at: number }>`SELECT ran_at FROM submissions WHERE reference = ${reference}`);
  return row.ran_at;
}
