import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Micros } from '../../../contract/money.ts';
import {
  ACCOUNT,
  accepted,
  crawled,
  QUARTER,
  type TestLedger,
  testLedger,
  WATCH,
} from '../../../test/support/ledger.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId, Reference, RunId } from '../../submission/ids.ts';
import { listPendingBatches } from '../batches/batch-queries.ts';
import { beginSend } from '../batches/begin-send.ts';
import { recordAnswer } from '../batches/record-answer.ts';
import { recordReconciled } from '../batches/record-reconciled.ts';
import { planRun } from '../plans/make-plan.ts';
import { listBatches } from '../reports/lists.ts';
import { getRunSummary } from '../reports/run-summary.ts';
import { getAccountTotals } from '../reports/totals.ts';
import { retryUnfunded } from './account-status.ts';
import { recordBalance } from './balance.ts';
import { confirmAccount } from './confirm-account.ts';

const lira = (amount: number) => Math.round(amount * 1_000_000) as Micros;
const endAll = (ledger: TestLedger) => ledger.db.run(sql`UPDATE runs SET ended_at = 1, end_state = 'finished'`);
const UNPRICED = { ...ACCOUNT, pricePerUrl: { standard: null, fast: null } };

interface Reported {
  readonly charged?: Micros;
  readonly pricePerUrl?: Micros;
  readonly price?: Micros;
  readonly balance?: Micros;
}

async function planned(ledger: TestLedger, run: string, pages: readonly string[], account = ACCOUNT): Promise<BatchId> {
  await crawled(ledger, run, { a: pages });
  await planRun(ledger, run as RunId, { account, watch: WATCH });
  return (await listPendingBatches(ledger, ACCOUNT.id)).batches[0]!.id;
}

async function sent(ledger: TestLedger, batch: BatchId, reported: Reported, account = ACCOUNT) {
  const sending = await beginSend(ledger, batch, { account, watch: WATCH });
  assert.ok(sending.kind === 'send', JSON.stringify(sending));
  ledger.pass(1_000);
  const outcome = { ...accepted(`R-${batch}`), ...reported };
  await recordAnswer(ledger, batch, { attempt: sending.attempt, outcome, status: 202, requestId: null });
  const [line] = await listBatches(ledger, { reference: `R-${batch}` as Reference });
  return line!;
}

const prices = async (ledger: TestLedger) => {
  const { perUrl, basis } = (await getAccountTotals(ledger, ACCOUNT.id)).price.standard;
  return { perUrl, basis };
};

describe('charge', () => {
  for (const [what, reported, charge] of [
    ['the charge', { charged: lira(0.6) }, 0.6],
    ['the price of a URL', { pricePerUrl: lira(0.3) }, 0.6],
    ['the price of a URL, as the charge too', { pricePerUrl: lira(0.3), charged: lira(0.3) }, 0.6],
    ['a mere price of one URL', { price: lira(0.3) }, 0.6],
    ['the total as a mere price', { price: lira(0.5) }, 0.5],
    ['neither: what was expected counts', {}, 0.5],
    ['a charge of zero', { charged: lira(0) }, 0.5],
    ['a charge below zero', { charged: lira(-3) }, 0.5],
    ['a price that cannot be multiplied', { pricePerUrl: 9_000_000_000_000_000 as Micros }, 0.5],
    ['a charge beyond belief', { charged: 9_000_000_000_000_000 as Micros }, 0.5],
  ] as const) {
    testLedger(`an acceptance with ${what} costs ${charge.toFixed(2)} TRY`, async (ledger) => {
      const line = await sent(ledger, await planned(ledger, 'r1', ['1', '2']), reported);
      assert.equal(line.charge, lira(charge));
      assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedToday, lira(charge));
    });
  }

  testLedger('a charge of five URLs at a fifth of the configured price is no price of one URL', async (ledger) => {
    assert.equal((await sent(ledger, await planned(ledger, 'r1', ['1']), { charged: lira(0.05) })).charge, lira(0.05));
    await endAll(ledger);
    const five = await planned(ledger, 'r2', ['1', '2', '3', '4', '5', '6']);
    assert.equal((await sent(ledger, five, { charged: lira(0.25) })).charge, lira(0.25));
  });

  for (const [what, reported, charge] of [
    ['with the price that it was sent at', { charged: lira(0.75), pricePerUrl: lira(0.25) }, 0.75],
    ['with the price of a URL twice', { charged: lira(0.75), pricePerUrl: lira(0.75) }, 2.25],
    ['without a price', { charged: lira(0.75) }, 0.75],
    ['without a price, at no price known before', { charged: lira(0.3) }, 0.3],
  ] as const) {
    testLedger(`a job of three URLs that the list shows after a price rose to three times, ${what}`, async (ledger) => {
      await sent(ledger, await planned(ledger, 'r1', ['1', '2'], UNPRICED), { charged: lira(0.5) }, UNPRICED);
      await endAll(ledger);
      const lost = await planned(ledger, 'r2', ['1', '2', '3', '4', '5'], UNPRICED);
      await ledger.db.run(sql`UPDATE batches SET expected_cost = NULL WHERE id = ${lost}`);
      const sending = await beginSend(ledger, lost, { account: UNPRICED, watch: WATCH });
      assert.ok(sending.kind === 'send', JSON.stringify(sending));
      ledger.pass(1_000);
      await confirmAccount(ledger, ACCOUNT.id, { identity: null, prices: { standard: lira(0.75), fast: null } });
      await endAll(ledger);
      await planned(ledger, 'r3', ['1', '2', '3', '4', '5', '6'], UNPRICED);
      const later = (await listPendingBatches(ledger, ACCOUNT.id)).batches.find(({ id }) => id !== lost);
      await sent(ledger, later!.id, { charged: lira(0.75) }, UNPRICED);
      const found = {
        reference: 'R-found' as Reference,
        state: 'queued',
        pricePerUrl: null,
        balance: null,
        ...reported,
      };
      await recordReconciled(ledger, lost, { kind: 'found', ...found });
      const [line] = await listBatches(ledger, { reference: found.reference });
      assert.equal(line?.charge, lira(charge));
    });
  }

  testLedger('an unreported charge is learned from the balance', async (ledger) => {
    const batch = await planned(ledger, 'r1', ['1', '2'], UNPRICED);
    await recordBalance(ledger, ACCOUNT.id, lira(100));
    const line = await sent(ledger, batch, { balance: lira(99.4) }, UNPRICED);
    assert.equal(line.charge, lira(0.6));
    assert.deepEqual(await prices(ledger), { perUrl: lira(0.3), basis: 'learned' });
  });

  testLedger('the balance shows a price that rose, also after other charges', async (ledger) => {
    await sent(ledger, await planned(ledger, 'r1', ['1', '2']), { charged: lira(0.5) });
    await endAll(ledger);
    ledger.pass(1_000);
    await recordBalance(ledger, ACCOUNT.id, lira(100));
    const line = await sent(ledger, await planned(ledger, 'r2', ['1', '2', '3', '4']), { balance: lira(99.4) });
    assert.equal(line.charge, lira(0.6));
    assert.deepEqual(await prices(ledger), { perUrl: lira(0.3), basis: 'learned' });
  });

  testLedger('no charge is learned from a balance that something else may have changed', async (ledger) => {
    const unknown = async (name: string, balance: Micros, before: (batch: BatchId) => Promise<void>) => {
      const batch = await planned(ledger, name, [`${name}/1`, `${name}/2`], UNPRICED);
      await before(batch);
      const line = await sent(ledger, batch, { balance }, UNPRICED);
      await endAll(ledger);
      assert.equal(line.charge, null, name);
    };
    await unknown('never reported before', lira(100), async () => undefined);
    await unknown('topped up', lira(150), () => recordBalance(ledger, ACCOUNT.id, lira(100)));
    await unknown('not a whole price', lira(99.999999), () => recordBalance(ledger, ACCOUNT.id, lira(100)));
    await unknown('reported while an attempt was in flight', lira(99.4), async (batch) => {
      const lost = await beginSend(ledger, batch, { account: UNPRICED, watch: WATCH });
      assert.ok(lost.kind === 'send');
      ledger.pass(1_000);
      await recordBalance(ledger, ACCOUNT.id, lira(100));
    });
    await unknown('so long ago that others may have spent', lira(99.4), async () => {
      await recordBalance(ledger, ACCOUNT.id, lira(100));
      ledger.pass(10 * 60_000 + 1);
    });
    const summary = await getRunSummary(ledger, 'topped up' as RunId);
    assert.equal(summary.unknownChargeUrls, 2, 'unknown, not 0.00');
    const totals = await getAccountTotals(ledger, ACCOUNT.id);
    assert.deepEqual([totals.chargedToday, totals.unknownChargeUrls], [0, 10]);
    assert.equal(totals.unknownChargeEstimate, 0, 'no price is configured');
    const priced = await getAccountTotals(ledger, ACCOUNT.id, ACCOUNT.pricePerUrl);
    assert.equal(priced.unknownChargeEstimate, lira(2.5), 'what the caps count: 10 at 0.25 TRY');
  });

  testLedger('charges since the balance was read are known to be missing in it', async (ledger) => {
    await sent(ledger, await planned(ledger, 'r1', ['1', '2']), { charged: lira(0.5) });
    await endAll(ledger);
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedSinceBalance, 0, 'no balance, nothing to correct');
    ledger.pass(1_000);
    await recordBalance(ledger, ACCOUNT.id, lira(99.5));
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedSinceBalance, 0);
    ledger.pass(1_000);
    await sent(ledger, await planned(ledger, 'r2', ['1', '2', '3']), { charged: lira(0.25) });
    assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedSinceBalance, lira(0.25));
  });

  for (const [what, confirmed] of [
    ['later', 'after'],
    ['before, by a version that left them', 'before'],
  ] as const) {
    testLedger(`purchases at an unknown price count at the price that the service shows ${what}`, async (ledger) => {
      const show = () =>
        confirmAccount(ledger, ACCOUNT.id, { identity: null, prices: { standard: lira(0.3), fast: null } });
      await sent(ledger, await planned(ledger, 'r1', ['1', '2'], UNPRICED), {}, UNPRICED);
      if (confirmed === 'before') {
        await ledger.db.run(sql`
          INSERT INTO prices (account_id, service, price, learned_at) VALUES (${ACCOUNT.id}, 'standard', 300000, 1)`);
      }
      assert.equal((await getAccountTotals(ledger, ACCOUNT.id)).chargedToday, 0);
      await show();
      const totals = await getAccountTotals(ledger, ACCOUNT.id);
      assert.deepEqual([totals.chargedToday, totals.unknownChargeUrls], [lira(0.6), 0]);
    });
  }

  testLedger('purchases at an unknown price count against a cap once a price is known', async (ledger) => {
    await sent(ledger, await planned(ledger, 'r1', ['1', '2'], UNPRICED), {}, UNPRICED);
    await endAll(ledger);
    await crawled(ledger, 'r2', { a: ['1', '2', '3', '4'] });
    const capped = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: lira(0.75) } };
    const plan = await planRun(ledger, 'r2' as RunId, { account: capped, watch: WATCH });
    assert.deepEqual([plan.urls, plan.held], [1, 1], 'two at 0.25 TRY are spent of the 0.75 TRY');
  });

  testLedger('a later reported charge gives the earlier ones their price', async (ledger) => {
    await sent(ledger, await planned(ledger, 'r1', ['1', '2'], UNPRICED), {}, UNPRICED);
    await endAll(ledger);
    await sent(ledger, await planned(ledger, 'r2', ['1', '2', '3'], UNPRICED), { charged: lira(0.3) }, UNPRICED);
    const totals = await getAccountTotals(ledger, ACCOUNT.id);
    assert.deepEqual([totals.chargedToday, totals.unknownChargeUrls], [lira(0.9), 0]);
  });

  testLedger(
    'a charge above the expected one is a warning, and later batches are checked against caps at the new price',
    async (ledger) => {
      const first = await planned(ledger, 'r1', ['1', '2']);
      const line = await sent(ledger, first, { charged: lira(20) });
      assert.match(line.reason!, /^20.00 TRY was charged where 0.50 TRY was expected \(price configured\)/);
      await endAll(ledger);
      const capped = { ...ACCOUNT, spend: { ...ACCOUNT.spend, perDay: lira(25) } };
      // Planned at the old price, before the new one was known.
      const second = await planned(ledger, 'r2', ['1', '2', '3']);
      await ledger.db.run(sql`UPDATE batches SET expected_cost = 250000 WHERE id = ${second}`);
      const sending = await beginSend(ledger, second, { account: capped, watch: WATCH });
      assert.ok(sending.kind === 'not-allowed', JSON.stringify(sending));
      assert.match(sending.refusal.message, /account per day of 25.00 TRY leaves 5.00 TRY, and 10.00 TRY is needed/);
    },
  );

  testLedger('nothing is sent on a negative balance, and the reason names it', async (ledger) => {
    const batch = await planned(ledger, 'r1', ['1', '2']);
    await recordBalance(ledger, ACCOUNT.id, lira(-3.5));
    const sending = await beginSend(ledger, batch, { account: ACCOUNT, watch: WATCH });
    assert.ok(sending.kind === 'not-allowed');
    assert.match(sending.refusal.message, /below zero \(-3.50 TRY\), and 0.50 TRY is needed; nothing was spent/);
    await recordBalance(ledger, ACCOUNT.id, lira(10));
    await retryUnfunded(ledger, ACCOUNT.id);
    assert.equal((await sent(ledger, batch, { charged: (QUARTER * 2) as Micros })).state, 'accepted');
  });
});
