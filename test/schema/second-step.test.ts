import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { DatabaseVersionError } from '../../src/database/database.ts';
import { type Migration, migrate } from '../../src/database/migrate.ts';
import { openDatabase } from '../../src/database/open.ts';
import { raw } from '../../src/database/sql.ts';
import { ledgerOver } from '../../src/ledger/open-ledger.ts';
import { planRun } from '../../src/ledger/plans/make-plan.ts';
import type { RunId } from '../../src/submission/ids.ts';
import { testOnEach } from '../support/database.ts';
import { ACCOUNT, crawled, DAY, sendAll, WATCH } from '../support/ledger.ts';
import { workForWeeks } from '../support/ledger-work.ts';
import { STORES } from './dump-schema.ts';
import { findBreaking } from './find-breaking.ts';

/** A step as a later version might add one, to the first large table of each store. */
const inventedStep = (table: string): Migration => ({
  name: 'an invented step',
  statements: () => [`ALTER TABLE ${table} ADD COLUMN color TEXT NOT NULL DEFAULT 'red'`],
});

const TABLES: Readonly<Record<string, string>> = {
  ledger: 'urls',
  'rate-limit': 'rate_limit_requests',
  service: 'submissions',
};

describe('a second step', () => {
  for (const { component, migrations } of STORES) {
    const table = TABLES[component] ?? '';
    const later = [...migrations, inventedStep(table)];

    testOnEach(`of the ${component}: changes the tables, and a program without it refuses them`, async (db) => {
      assert.deepEqual(findBreaking(later.slice(migrations.length)), []);
      await migrate(db, component, migrations, 1);
      await migrate(db, component, later, 2);
      assert.deepEqual(await db.all(raw(`SELECT color FROM ${table}`)), []);
      const steps = (await db.all(raw('SELECT version, name, applied_at FROM schema_migrations ORDER BY version'))).map(
        (row) => Object.values(row as object),
      );
      assert.deepEqual(steps, [
        ...migrations.map(({ name }, index) => [index + 1, name, 1]),
        [later.length, 'an invented step', 2],
      ]);
      await assert.rejects(
        migrate(db, component, migrations, 3),
        (error: Error) =>
          error instanceof DatabaseVersionError &&
          error.message.includes(`at version ${later.length}, and this program knows ${migrations.length}. Nothing`),
      );
    });
  }

  testOnEach('keeps the rows of a ledger that is in use, whose program goes on', async (db, t, url) => {
    let now = Date.UTC(2026, 2, 1);
    const ledger = await ledgerOver(db, () => now);
    await workForWeeks(ledger, [WATCH.id], () => {
      now += 4 * DAY;
    });
    const list = () => db.all(raw('SELECT id, url, state, generation FROM urls ORDER BY id'));
    const before = await list();
    assert.ok(before.length > 5);
    const newer = openDatabase(url);
    t.after(() => newer.close());
    const { migrations } = STORES.find(({ component }) => component === 'ledger')!;
    await migrate(newer, 'ledger', [...migrations, inventedStep('urls')], 2);
    assert.deepEqual(await list(), before);
    assert.deepEqual(
      (await newer.all(raw(`SELECT id FROM urls WHERE color = 'red'`))).length,
      before.length,
      'the rows have the value of the step',
    );
    await crawled(ledger, 'later', { a: ['1', 'new'] });
    await planRun(ledger, 'later' as RunId, { account: ACCOUNT, watch: WATCH });
    assert.equal((await sendAll(ledger)).length, 1);
  });
});
