import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { ACCOUNT, completeRun, crawled, DAY, sendAll, testLedger, WATCH } from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, RunId } from '../../submission/ids.ts';
import { endStops, recordStop } from '../accounts/stops.ts';
import { holdSpending } from '../jobs/history-hold.ts';
import type { Ledger } from '../open-ledger.ts';
import { planRun } from '../plans/make-plan.ts';
import { endRun } from '../runs/runs.ts';
import { findOpenWork, listOpenAccounts } from './find-open-work.ts';

const INPUT = { watch: WATCH, account: ACCOUNT };
const find = (ledger: Ledger, indexCheck: unknown = null) =>
  findOpenWork(ledger.db, { watches: [{ id: WATCH.id, account: ACCOUNT.id, indexCheck }], now: ledger.now() });

async function bought(ledger: Ledger): Promise<void> {
  await crawled(ledger, 'r1', { '/s.xml': ['1', '2'] });
  await planRun(ledger, 'r1' as RunId, INPUT);
  await endRun(ledger, 'r1' as RunId, 'finished');
}

describe('findOpenWork', () => {
  testLedger('nothing is open in an empty ledger, and after a run that adopted a site', async (ledger) => {
    assert.equal(await find(ledger), null);
    await completeRun(ledger, 'r1', { '/s.xml': ['1', '2'] }, { firstRun: 'baseline' });
    assert.equal(await find(ledger), null);
  });

  testLedger('a batch is open until it is answered, and its job until it is settled', async (ledger) => {
    await bought(ledger);
    assert.equal(await find(ledger), 'batches');
    await sendAll(ledger);
    assert.equal(await find(ledger), 'jobs');
    await ledger.db.run(sql`UPDATE batches SET settled_at = ${ledger.now()}`);
    assert.equal(await find(ledger), null);
    await ledger.db.run(sql`UPDATE batches SET in_doubt_since = ${ledger.now()}`);
    assert.equal(await find(ledger), 'batches', 'in doubt');
  });

  testLedger('a run that has not ended is open, and one of another watch is not', async (ledger) => {
    await crawled(ledger, 'r1', { '/s.xml': ['1'] }, { firstRun: 'baseline' });
    assert.equal(await find(ledger), 'a run');
    const other = { watches: [], now: ledger.now() };
    assert.equal(await findOpenWork(ledger.db, other), null);
  });

  testLedger('an account that waits is open', async (ledger) => {
    await completeRun(ledger, 'r1', { '/s.xml': ['1'] }, { firstRun: 'baseline' });
    await recordStop(ledger.db, ACCOUNT.id, { kind: 'key', at: 0, reason: { code: 'reported', text: 'status 401' } });
    assert.equal(await find(ledger), 'an account');
    await endStops(ledger.db, ACCOUNT.id, 'key');
    assert.equal(await find(ledger), null);
    await holdSpending(ledger, ACCOUNT.id, { code: 'unknown_jobs', jobs: 1 } as never);
    assert.equal(await find(ledger), 'an account');
  });

  testLedger('an index check is open when it is due, for a watch that has index checks', async (ledger) => {
    await completeRun(ledger, 'r1', { '/s.xml': ['1'] }, { firstRun: 'baseline' });
    await ledger.db.run(sql`
      INSERT INTO check_queue (url_id, watch_id, completed_at, next_at) VALUES (1, 1, ${ledger.now()}, ${ledger.now() + DAY})`);
    assert.equal(await find(ledger, {}), null);
    ledger.pass(DAY);
    assert.equal(await find(ledger, {}), 'index checks');
    assert.equal(await find(ledger), null, 'a watch without index checks makes none');
  });
});

describe('listOpenAccounts', () => {
  testLedger('an account is open until its batches are answered and its jobs settled', async (ledger) => {
    const open = () => listOpenAccounts(ledger.db, ['nobody' as AccountId, ACCOUNT.id]);
    assert.deepEqual(await open(), []);
    await bought(ledger);
    assert.deepEqual(await open(), [ACCOUNT.id], 'planned');
    await sendAll(ledger);
    assert.deepEqual(await open(), [ACCOUNT.id], 'accepted');
    await ledger.db.run(sql`UPDATE batches SET settled_at = ${ledger.now()}`);
    assert.deepEqual(await open(), []);
  });
});
