import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findPostgresPrograms, startPostgres } from '../../test/support/postgres-server.ts';
import { openDatabase } from '../database/open.ts';
import { raw } from '../database/sql.ts';
import { watchFailovers } from './watch-failovers.ts';

const programs = findPostgresPrograms();
const skip = programs === null && 'Postgres is not installed';

describe('watchFailovers', () => {
  test('tells that a standby has taken over, once, not that the server was restarted', { skip }, async (t) => {
    const primary = await startPostgres(programs ?? '', { durable: true });
    t.after(primary.stop);
    const standby = await startPostgres(programs ?? '', { standbyOf: primary });
    t.after(standby.stop);
    const url = new URL(primary.url);
    const db = openDatabase(url.href.replace(url.host, `${url.host},${new URL(standby.url).host}`));
    t.after(() => db.close());
    const hasFailedOver = watchFailovers(db);
    assert.deepEqual([await hasFailedOver(), await hasFailedOver()], [false, false]);
    await primary.restart();
    assert.equal(await untilAnswered(hasFailedOver), false);
    await primary.crash(null);
    await standby.promote();
    assert.equal(await untilAnswered(hasFailedOver), true);
    assert.equal(await hasFailedOver(), false);
  });

  test('stops asking where the role may not read the position of the log', { skip }, async (t) => {
    const server = await startPostgres(programs ?? '');
    t.after(server.stop);
    const db = openDatabase(server.url);
    t.after(() => db.close());
    await db.run(raw('REVOKE EXECUTE ON FUNCTION pg_current_wal_lsn() FROM public'));
    await db.run(raw('CREATE ROLE reader LOGIN'));
    const url = new URL(server.url);
    url.username = 'reader';
    const limited = openDatabase(url.href);
    t.after(() => limited.close());
    const asked: string[] = [];
    const hasFailedOver = watchFailovers({
      ...limited,
      one(query) {
        asked.push(query.strings.join());
        return limited.one(query);
      },
    });
    assert.deepEqual([await hasFailedOver(), await hasFailedOver()], [false, false]);
    assert.equal(asked.length, 1);
  });
});

/** A connection that broke is noticed by the statement that uses it. */
async function untilAnswered(ask: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
