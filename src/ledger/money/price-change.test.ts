import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import { ACCOUNT, DAY, type TestLedger, testLedger } from '../../../test/support/ledger.ts';
import { lockAccount } from '../accounts/watches.ts';
import { confirmAccount } from './confirm-account.ts';
import { learnPrice, listNewPrices } from './price.ts';

const lira = (amount: number) => Math.round(amount * 1_000_000) as Micros;
const { id } = ACCOUNT;

async function charge(ledger: TestLedger, price: number, urls = 1, at = ledger.now()): Promise<void> {
  const { db } = ledger;
  await db.tx((tx) => lockAccount(tx, id));
  const total = lira(Math.round(price * urls * 100) / 100);
  await learnPrice(db, { account: id, service: 'fast', charge: total, urls, at, now: ledger.now() });
}

const listOf = (ledger: TestLedger, configured: number | null = null) =>
  listNewPrices(ledger, id, { standard: null, fast: configured === null ? null : lira(configured) });

describe('a price that changes', () => {
  testLedger(
    'is reported with what it was, for seven days or until it is configured; a first price is not',
    async (ledger) => {
      await charge(ledger, 0.5);
      assert.deepEqual(await listOf(ledger), []);
      ledger.pass(DAY);
      await charge(ledger, 1);
      const since = ledger.now();
      const change = { service: 'fast', before: lira(0.5), after: lira(1), since } as const;
      assert.deepEqual(await listOf(ledger, 0.5), [{ ...change, configured: lira(0.5) }]);
      assert.deepEqual(await listOf(ledger, 1), []);
      ledger.pass(DAY);
      await charge(ledger, 1, 7);
      assert.deepEqual(await listOf(ledger), [{ ...change, configured: null }], 'the same price again is no change');
      ledger.pass(6 * DAY);
      assert.deepEqual(await listOf(ledger), []);
    },
  );

  testLedger('is known once the service shows a higher one, and a fall once it is charged', async (ledger) => {
    const show = (fast: number) =>
      confirmAccount(ledger, id, { identity: null, prices: { standard: lira(0.1), fast: lira(fast) } });
    await ledger.db.tx((tx) => lockAccount(tx, id));
    await show(0.5);
    ledger.pass(DAY);
    await show(1);
    const [rise] = await listOf(ledger);
    assert.deepEqual([rise?.before, rise?.after, rise?.since], [lira(0.5), lira(1), ledger.now()]);
    ledger.pass(DAY);
    await show(0.5);
    assert.equal((await listOf(ledger))[0]?.after, lira(1));
    await charge(ledger, 0.5, 3);
    const [fall] = await listOf(ledger);
    assert.deepEqual([fall?.before, fall?.after, fall?.since], [lira(1), lira(0.5), ledger.now()]);
  });

  testLedger('is not one where totals are rounded, however far small differences lead', async (ledger) => {
    for (const [at, urls] of [1, 100, 7, 3, 1, 40].entries()) {
      ledger.pass(DAY);
      await charge(ledger, 1 / 3, urls);
      assert.deepEqual(await listOf(ledger), [], `after ${at + 1} charges`);
    }
    // Steps that are no change each add up to one.
    ledger.pass(DAY);
    await charge(ledger, 0.338, 100);
    await charge(ledger, 0.345, 100);
    assert.equal((await listOf(ledger))[0]?.after, lira(0.345));
  });

  testLedger('goes by the newest charge: neither an older one nor a clock that was ahead hides it', async (ledger) => {
    const begin = ledger.now();
    await charge(ledger, 0.5);
    ledger.pass(3 * DAY);
    await charge(ledger, 1);
    await charge(ledger, 0.7, 1, begin - DAY);
    assert.equal((await listOf(ledger))[0]?.after, lira(1));
    ledger.pass(3_600_000);
    await charge(ledger, 1.5, 1, ledger.now() + 2 * DAY);
    await charge(ledger, 2);
    const [last] = await listOf(ledger);
    assert.deepEqual([last?.before, last?.after, last?.since], [lira(1), lira(2), ledger.now()]);
  });
});
