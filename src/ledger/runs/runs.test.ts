import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, completeRun, DAY, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { beginRun, endRun, type RunStart } from './runs.ts';

const start = (run: string): RunStart => ({
  ...{ watch: WATCH.id, account: ACCOUNT.id, run: run as RunId },
  ...{ sources: ['https://shop.example/sitemap.xml'], scope: '', firstRun: 'submit' },
});

describe('a run', () => {
  testLedger('that begins again is the same run, and the first where it was the first', async (ledger) => {
    assert.deepEqual(await beginRun(ledger, start('r1')), { kind: 'begun', firstRun: true, again: false });
    assert.deepEqual(await beginRun(ledger, start('r1')), { kind: 'begun', firstRun: true, again: true });
    await endRun(ledger, 'r1' as RunId, 'finished');
    await assert.rejects(beginRun(ledger, start('r1')), /r1/);
    assert.deepEqual(await beginRun(ledger, start('r2')), { kind: 'begun', firstRun: false, again: false });
    assert.deepEqual(await beginRun(ledger, start('r2')), { kind: 'begun', firstRun: false, again: true });
  });

  testLedger('waits for an open one, until that was not touched for a day', async (ledger) => {
    await completeRun(ledger, 'r0', { a: ['1'] });
    await beginRun(ledger, start('r1'));
    const at = ledger.now();
    ledger.pass(DAY);
    const active = { kind: 'active', run: 'r1', since: at, touchedAt: at };
    assert.deepEqual(await beginRun(ledger, start('r2')), active);
    ledger.pass(1);
    assert.equal((await beginRun(ledger, start('r2'))).kind, 'begun');
  });

  testLedger('is the first one until a run has finished, not only ended', async (ledger) => {
    await beginRun(ledger, start('r1'));
    await endRun(ledger, 'r1' as RunId, 'abandoned');
    const begun = await beginRun(ledger, start('r2'));
    assert.equal(begun.kind === 'begun' && begun.firstRun, true);
  });

  testLedger(
    'that is held, or belongs to another watch, is not abandoned for the time that it waits',
    async (ledger) => {
      const other = { ...start('other'), watch: 'news' as WatchId };
      await beginRun(ledger, other);
      await beginRun(ledger, start('r1'));
      await ledger.db.run(sql`UPDATE runs SET held = 'x' WHERE name = 'r1'`);
      ledger.pass(9 * DAY);
      assert.equal((await beginRun(ledger, start('r2'))).kind, 'active');
      const open = await ledger.db.all(
        sql<{ name: string }>`SELECT name FROM runs WHERE ended_at IS NULL ORDER BY name`,
      );
      assert.deepEqual(
        open.map(({ name }) => name),
        ['other', 'r1'],
      );
    },
  );
});
