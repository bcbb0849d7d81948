import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Database, Queryable } from '../../src/database/database.ts';
import { compile, sql } from '../../src/database/sql.ts';
import { testOnEachDialect } from '../../test/support/database.ts';
import { type Bench, openService, serviceTest, urlList } from '../../test/support/service.ts';
import { openClock } from '../capacity/clock.ts';
import { expire } from '../processing/transitions.ts';
import { DEFAULT_SETTINGS } from '../settings.ts';
import { findDifferences } from './audit.ts';
import { deleteOld } from './retention.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const days = (count: number) => Date.now() + count * DAY_MS;
const after = (count: number) => ({ at: days(count), believed: days(count) });
const { budgets } = DEFAULT_SETTINGS;

/** A database that is lost when it is asked to delete URLs for the second time. */
function loseAtSecondPart(db: Database): Database {
  let parts = 0;
  const losing = <Base extends Queryable>(base: Base): Base => ({
    ...base,
    run: async (query) => {
      if (/DELETE FROM submission_urls/.test(compile(query, db.dialect).text) && ++parts === 2) throw new Error('lost');
      return base.run(query);
    },
  });
  return { ...losing(db), tx: (work) => db.tx((tx) => work(losing(tx))) };
}

describe('retention', () => {
  serviceTest('a deletion that is interrupted is carried out by the next sweep', async ({ client, db }) => {
    const { reference } = (await client.post('/submissions', 'retention-key-0', { urls: urlList(1_200) })).body.data;
    await expire(db, reference, 'too late', { refundFailed: false, now: Date.now() });
    const wanted = {
      retention: { urlsDays: 30, checksDays: null, eventsDays: null, keysDays: null },
      budgets,
    };
    await assert.rejects(deleteOld({ db: loseAtSecondPart(db), ...wanted }, after(31)), /lost/);
    const detail = await client.detail(reference);
    assert.equal(detail.url_pagination.total, detail.urls.length === 0 ? 0 : 1_200, 'all of its URLs, or none');
    await deleteOld({ db, ...wanted }, after(31));
    const { left } = await db.one(sql<{ left: number }>`SELECT count(*) AS left FROM submission_urls`);
    assert.equal(left, 0);
    const filtered = await client.get<{ submissions: unknown[] }>(
      `/submissions?url=${encodeURIComponent(urlList(1_200).at(-1) ?? '')}`,
    );
    assert.deepEqual(filtered.body.data.submissions, []);
  });

  serviceTest('one sweep deletes all that is due, however much it is', async ({ db }) => {
    const { id } = await db.one(sql<{ id: number }>`SELECT id FROM accounts`);
    const numbers = sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)`;
    await db.run(sql`
      INSERT INTO audit_events (account_id, event, actor, details, created_at)
      ${numbers} SELECT CAST(${id} AS BIGINT), 'key.created', 'operator', '{}', i FROM n`);
    const retention = { urlsDays: null, checksDays: null, eventsDays: 365, keysDays: 90 };
    assert.equal((await deleteOld({ db, retention, budgets }, after(0))).events, 450);
  });

  serviceTest(
    'URLs of a submission are deleted after their retention; its counts, money and key stay',
    async ({ client, db }) => {
      const ended = (await client.post('/submissions', 'retention-key-1', { urls: urlList(1_200) })).body.data;
      const open = (await client.post('/submissions', 'retention-key-2', { urls: urlList(2) })).body.data;
      await expire(db, ended.reference, 'too late', { refundFailed: false, now: Date.now() });
      const retention = { urlsDays: 30, checksDays: null, eventsDays: null, keysDays: null };

      assert.equal((await deleteOld({ db, retention, budgets }, after(29))).submissions, 0);
      assert.equal((await client.detail(ended.reference)).urls.length, 100);
      assert.equal((await deleteOld({ db, retention, budgets }, after(31))).submissions, 1);

      const detail = await client.detail(ended.reference);
      assert.deepEqual([detail.status, detail.url_count, detail.urls_failed], ['failed', 1_200, 1_200]);
      assert.deepEqual([detail.urls, detail.url_pagination.total], [[], 0]);
      const { left } = await db.one(sql<{ left: number }>`SELECT count(*) AS left FROM submission_urls`);
      assert.equal(left, 2, 'nothing else was deleted');
      assert.equal((await client.detail(open.reference)).urls.length, 2, 'what has not ended keeps its URLs');
      const again = await client.post('/submissions', 'retention-key-1', { urls: urlList(1_200) });
      assert.equal(again.status, 200, 'a retry is still recognised');
      assert.deepEqual(await findDifferences(db), []);
      assert.equal((await deleteOld({ db, retention, budgets }, after(32))).submissions, 0, 'once');
    },
  );

  serviceTest(
    'results of an index-check are deleted after their retention; the same key is 409 and never charged again',
    async ({ client, db }) => {
      const check = () => client.post('/index-check', 'retention-key-3', { urls: urlList(2) });
      assert.equal((await check()).status, 200);
      const balance = await client.balance();
      const retention = { urlsDays: null, checksDays: 30, eventsDays: null, keysDays: null };
      assert.equal((await deleteOld({ db, retention, budgets }, after(29))).checks, 0);
      assert.equal((await check()).status, 200);
      assert.equal((await deleteOld({ db, retention, budgets }, after(31))).checks, 1);
      const { status, body } = await check();
      assert.deepEqual([status, body.error?.code], [409, 'idempotency_conflict']);
      assert.match(
        body.message,
        /already made and charged.*deleted.*Nothing new was charged; use a new Idempotency-Key/s,
      );
      assert.equal(await client.balance(), balance);
      assert.deepEqual(await findDifferences(db), []);
    },
  );

  serviceTest(
    'audit events and windows of unused keys are deleted; those in use stay',
    async ({ client, db, service, account }) => {
      await client.balance();
      await db.run(sql`INSERT INTO budgets (key_id, windows, updated_at) VALUES ('quiet', '{}', ${days(-3)})`);
      const retention = { urlsDays: null, checksDays: null, eventsDays: 365, keysDays: 90 };
      const kept = await deleteOld({ db, retention, budgets }, after(0));
      assert.deepEqual([kept.events, kept.budgets], [0, 1]);
      const { events } = await deleteOld({ db, retention, budgets }, after(366));
      assert.ok(events >= 2);
      assert.deepEqual(await service.accounts.events(account, 10), []);
      const [key] = await service.accounts.keys(account);
      await service.accounts.revokeKey(key?.id ?? '');
      const keysAfter = async (count: number) =>
        (await deleteOld({ db, retention: DEFAULT_SETTINGS.retention, budgets }, after(count))).keys;
      assert.equal(await keysAfter(89), 0);
      assert.equal(await keysAfter(91), 1, 'a key that ended so long ago, without any setting');
    },
  );

  const retention = { urlsDays: 30, checksDays: null, eventsDays: null, keysDays: null };

  /** A service whose first sweep is over, with a submission that has just ended; its clock is as wrong as `now` says. */
  async function endOne({ client, db }: Bench): Promise<string> {
    const { reference } = (await client.post('/submissions', 'retention-clock', { urls: urlList(3) })).body.data;
    await expire(db, reference, 'too late', { refundFailed: false, now: Date.now() });
    return reference;
  }
  const countUrls = async ({ client }: Bench, reference: string) =>
    (await client.detail(reference)).url_pagination.total;

  serviceTest('a clock that jumps ahead between two sweeps deletes nothing for a day, and then all', async (bench) => {
    const reference = await endOne(bench);
    let at = Date.now();
    let steady = 0;
    const clock = await openClock(bench.db, { wall: () => at, steady: () => steady, read: async () => at });
    const pass = async (step: number, elapsed = step) => {
      at += step;
      steady += elapsed;
      return (await deleteOld({ db: bench.db, retention, budgets }, await clock.look())).submissions;
    };
    await clock.look();
    assert.equal(await pass(40 * DAY_MS, 1_000), 0, 'only a second has passed');
    assert.equal(await pass(DAY_MS - 60_000), 0);
    assert.equal(await countUrls(bench, reference), 3);
    assert.equal(await pass(120_000), 1, 'nobody has set the clock right');
  });

  serviceTest('a clock that is set right again has deleted nothing', async (bench) => {
    const reference = await endOne(bench);
    let at = Date.now();
    const clock = await openClock(bench.db, { wall: () => at, steady: () => 0, read: async () => at });
    await clock.look();
    for (const step of [20 * DAY_MS, 20 * DAY_MS, -40 * DAY_MS, 0]) {
      at += step;
      assert.equal((await deleteOld({ db: bench.db, retention, budgets }, await clock.look())).submissions, 0);
    }
    assert.equal(await countUrls(bench, reference), 3);
  });

  testOnEachDialect(
    'a service that starts with a wrong clock, or on a wrong host, deletes nothing',
    async (t, dialect) => {
      const first = await openService(t, dialect);
      const reference = await endOne(first);
      await first.service.close();
      const settings = { retention };
      const second = await openService(t, dialect, { database: first.url, settings, now: () => days(40) });
      // A stop waits for the first sweep.
      await second.service.close();
      const { urls } = await second.db.one(sql<{ urls: number }>`SELECT count(*) AS urls FROM submission_urls`);
      assert.equal(urls, 3, reference);
    },
  );
});
