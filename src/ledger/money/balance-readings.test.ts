import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  accepted,
  crawled,
  DAY,
  HOUR,
  sendOne,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId, RunId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { planRun } from '../plans/make-plan.ts';
import { recordBalance } from './balance.ts';
import { listReadings } from './balance-readings.ts';

const lira = (amount: number) => Math.round(amount * 1_000_000) as Micros;

/** Plans a batch of one page, 0.25 TRY. */
async function plan(ledger: TestLedger, run: string, page: string): Promise<BatchId> {
  await crawled(ledger, run, { a: [page] });
  await planRun(ledger, run as RunId, { account: ACCOUNT, watch: WATCH });
  await ledger.db.run(sql`UPDATE runs SET ended_at = 1, end_state = 'finished'`);
  return (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
}

async function read(ledger: TestLedger, amount: number, at?: number): Promise<void> {
  ledger.pass(1_000);
  await recordBalance(ledger, ACCOUNT.id, lira(amount), at);
}

/** Amounts in lira, and how long the balance moved as the journal says. */
async function tell(ledger: TestLedger, from = 0): Promise<(readonly [number, number])[]> {
  const readings = await listReadings(ledger.db, ACCOUNT.id, { from, until: Number.MAX_SAFE_INTEGER });
  return readings.map(({ since, at, amount }) => [amount / 1_000_000, at - since]);
}

describe('the readings of a balance', () => {
  testLedger('are one row a day while the balance is what the journal makes of it', async (ledger) => {
    await read(ledger, 10);
    ledger.pass(HOUR);
    await sendOne(ledger, await plan(ledger, 'r1', '1'));
    await read(ledger, 9.75);
    assert.deepEqual(await tell(ledger), [[9.75, HOUR + 1_000]]);
    ledger.pass(DAY);
    await read(ledger, 9.75);
    assert.deepEqual(await tell(ledger), [
      [9.75, HOUR + 1_000],
      [9.75, 0],
    ]);
  });

  testLedger('are another row when somebody else moved it, between two that say when', async (ledger) => {
    await read(ledger, 10);
    await read(ledger, 10);
    await read(ledger, 7);
    await read(ledger, 7);
    await read(ledger, 107);
    assert.deepEqual(await tell(ledger), [
      [10, 1_000],
      [7, 1_000],
      [107, 0],
    ]);
  });

  testLedger('are kept only while nothing is under way', async (ledger) => {
    await read(ledger, 10);
    const batch = await plan(ledger, 'r1', '1');
    const sending = await beginSend(ledger, batch, { account: ACCOUNT, watch: WATCH });
    assert.ok(sending.kind === 'send');
    await read(ledger, 9.75);
    assert.deepEqual(await tell(ledger), [[10, 0]], 'it may have been charged');
    const asked = ledger.now();
    ledger.pass(1_000);
    const { attempt } = sending;
    await recordAnswer(ledger, batch, { attempt, outcome: accepted('R-1'), status: 202, requestId: null });
    await read(ledger, 10, asked);
    assert.deepEqual(await tell(ledger), [[10, 0]], 'asked for before the charge was known');
    await read(ledger, 9.75);
    assert.deepEqual(await tell(ledger), [[9.75, 4_000]]);
  });

  testLedger('bound a period: from the last one before it', async (ledger) => {
    await read(ledger, 10);
    ledger.pass(DAY);
    await read(ledger, 9);
    ledger.pass(DAY);
    const from = ledger.now();
    await read(ledger, 8);
    const amounts = (await tell(ledger, from)).map(([amount]) => amount);
    assert.deepEqual(amounts, [9, 8]);
    assert.deepEqual(await listReadings(ledger.db, ACCOUNT.id, { from: 0, until: 0 }), []);
  });
});
