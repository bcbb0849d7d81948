import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Micros, ZERO } from '../../../contract/money.ts';
import { emptyDatabaseUrl } from '../../../test/support/database.ts';
import { testLedger } from '../../../test/support/ledger.ts';
import type { Queryable } from '../../database/database.ts';
import { openDatabase } from '../../database/open.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { ledgerOver } from '../open-ledger.ts';
import { type Purchase, writeEntry } from './entry.ts';
import { assumeCharged, bookPurchase, findMoney, freeMoney, giveUpAssumed, holdMoney } from './open-money.ts';
import { estimateUnknown } from './prices.ts';
import { sumCharged, sumCommitted, sumCounted, sumShown } from './sums.ts';
import { findWrongTotals } from './totals.ts';

const DAY = 86_400_000;
const NOW = 20_000 * DAY;
const amount = (value: number) => value as Micros;
const NO_PRICE = { standard: null, fast: null };
const purchase = (id: number, watchId = 1, kind: Purchase['kind'] = 'batch'): Purchase => ({
  ...{ kind, id, account: 'main' as AccountId, watchId, runId: kind === 'batch' ? 1 : null },
});
const booking = { atLeast: ZERO, urls: 2, day: NOW, at: NOW };

/** The movements of a purchase. */
const list = async (db: Queryable, { id }: Purchase): Promise<string[]> =>
  (
    await db.all(sql<{ from_bucket: string; to_bucket: string; amount: number; counted: number }>`
      SELECT from_bucket, to_bucket, amount, counted FROM journal WHERE of_id = ${id} ORDER BY id`)
  ).map(({ from_bucket, to_bucket, amount, counted }) => `${from_bucket} ${to_bucket} ${amount} ${counted}`);

const sums = async (db: Queryable, watchId = 1) => ({
  counted: (await sumCounted(db, { account: 'main' as AccountId, watchId }, { now: NOW, since: 'day' })).account.day,
  shown: (await sumCharged(db, 'main' as AccountId, NOW)).day,
  open: (await sumCommitted(db, { account: 'main' as AccountId, watchId, runId: 1, count: 'all' }, NO_PRICE)).account,
});

describe('the money of a purchase', () => {
  testLedger('is corrected before it moves', async ({ db }) => {
    const own = purchase(1);
    await holdMoney(db, own, { to: 'planned', amount: amount(10), at: NOW });
    await holdMoney(db, own, { to: 'sent', amount: amount(12), at: NOW });
    await holdMoney(db, own, { to: 'sent', amount: amount(12), at: NOW });
    assert.deepEqual(await list(db, own), ['free planned 10 0', 'free planned 2 0', 'planned sent 12 0']);
    await holdMoney(db, own, { to: 'planned', amount: amount(9), at: NOW });
    assert.deepEqual((await list(db, own)).slice(3), ['sent free 3 0', 'sent planned 9 0']);
  });

  for (const [what, charged, atLeast, entries] of [
    ['what it holds', 10, 0, ['sent charged 10 10']],
    ['less: the rest goes back', 8, 0, ['sent free 2 0', 'sent charged 8 8']],
    ['more: the excess comes from what is free', 13, 0, ['free sent 3 0', 'sent charged 13 13']],
    ['less than the configured price, which counts', 8, 10, ['sent free 2 0', 'sent charged 8 10']],
  ] as const) {
    testLedger(`is charged with ${what}`, async ({ db }) => {
      const own = purchase(1);
      await holdMoney(db, own, { to: 'sent', amount: amount(10), at: NOW });
      await bookPurchase(db, own, { ...booking, to: 'charged', amount: amount(charged), atLeast: amount(atLeast) });
      assert.deepEqual((await list(db, own)).slice(1), entries);
      assert.deepEqual(await sums(db), { counted: Math.max(charged, atLeast), shown: charged, open: 0 });
    });
  }

  testLedger('is booked once: the unique index refuses a second closing entry', async ({ db }) => {
    const own = purchase(1);
    await bookPurchase(db, own, { ...booking, to: 'charged', amount: amount(5) });
    await bookPurchase(db, own, { ...booking, to: 'charged', amount: amount(7) });
    assert.equal((await sums(db)).shown, 5, 'what the service has said stays');
    const again = { from: 'free', to: 'assumed', amount: amount(5), at: NOW } as const;
    await assert.rejects(
      writeEntry(db, own, { ...again, booked: { counted: amount(5), day: NOW, urls: 2 } }),
      /unique/i,
    );
  });

  for (const [witness, shown] of [
    [8, 8],
    [10, 10],
    [13, 13],
  ] as const) {
    testLedger(`that was assumed is corrected by a later witness of ${witness}, on its day`, async ({ db }) => {
      const own = purchase(1);
      await holdMoney(db, own, { to: 'sent', amount: amount(10), at: NOW });
      await assumeCharged(db, own, { urls: 2, day: NOW, at: NOW });
      assert.deepEqual(await sums(db), { counted: 10, shown: 10, open: 0 });
      await bookPurchase(db, own, { ...booking, to: 'charged', amount: amount(witness), day: NOW + DAY });
      assert.deepEqual(await sums(db), { counted: shown, shown, open: 0 });
      const { closed } = await findMoney(db, own);
      assert.deepEqual([closed?.bucket, closed?.amount, closed?.day, closed?.urls], ['charged', shown, NOW, 2]);
      assert.deepEqual(await findWrongTotals(db), []);
    });
  }

  testLedger('that was assumed, and is booked by another purchase, is given up', async ({ db }) => {
    const own = purchase(1);
    await holdMoney(db, own, { to: 'sent', amount: amount(10), at: NOW });
    await assumeCharged(db, own, { urls: 2, day: NOW, at: NOW });
    await giveUpAssumed(db, own);
    await giveUpAssumed(db, own);
    assert.deepEqual(await sums(db), { counted: 0, shown: 0, open: 0 });
    assert.deepEqual(await findWrongTotals(db), []);
  });

  testLedger(
    'that was assumed counts at the price of its witness, also where the amount is the same',
    async ({ db }) => {
      const own = purchase(1);
      await holdMoney(db, own, { to: 'sent', amount: amount(10), at: NOW });
      await assumeCharged(db, own, { urls: 2, day: NOW, at: NOW });
      await bookPurchase(db, own, { ...booking, to: 'assumed', amount: amount(10), atLeast: amount(14) });
      assert.deepEqual(await sums(db), { counted: 14, shown: 10, open: 0 });
      await bookPurchase(db, own, { ...booking, to: 'charged', amount: amount(10), atLeast: amount(12) });
      assert.deepEqual(await sums(db), { counted: 12, shown: 10, open: 0 });
      assert.deepEqual(await findWrongTotals(db), []);
    },
  );

  testLedger('whose charge nobody knew is given up, and never gets a price', async ({ db }) => {
    const own = purchase(1);
    await assumeCharged(db, own, { urls: 2, day: NOW, at: NOW });
    assert.equal((await sumShown(db, own.account, NOW)).unpriced, 2);
    await giveUpAssumed(db, own);
    const { ever, unpriced } = await sumShown(db, own.account, NOW);
    assert.deepEqual([ever, unpriced], [0, 0]);
    await estimateUnknown(db, own.account, 'standard', amount(7));
    assert.deepEqual(await sums(db), { counted: 0, shown: 0, open: 0 });
    assert.deepEqual(await findWrongTotals(db), []);
  });

  testLedger('is never taken from a bucket that has less', async ({ db }) => {
    const none = { from: 'sent', to: 'free', amount: amount(1), at: NOW } as const;
    await assert.rejects(writeEntry(db, purchase(1), none), /where nothing is/);
    await holdMoney(db, purchase(1), { to: 'sent', amount: amount(1), at: NOW });
    await assert.rejects(writeEntry(db, purchase(1), { ...none, amount: amount(2) }), /check/i);
  });

  testLedger('differs from its totals when somebody changes them, and that shows', async ({ db }) => {
    await holdMoney(db, purchase(1), { to: 'sent', amount: amount(10), at: NOW });
    assert.deepEqual(await findWrongTotals(db), []);
    await db.run(sql`UPDATE journal_totals SET amount = 7`);
    const wrong = await findWrongTotals(db);
    assert.deepEqual(
      wrong.map(({ bucket, amount }) => [bucket, amount]),
      [['sent', -3]],
    );
  });
});

describe('the totals of the journal', () => {
  test('equal a rebuild after any walk of purchases, and what is open returns to zero', async (t) => {
    const db = openDatabase(emptyDatabaseUrl(t, 'sqlite'), { synchronous: 'NORMAL' });
    t.after(() => db.close());
    await ledgerOver(db, () => NOW);
    let id = 0;
    const step = fc.record({
      purchase: fc.nat(4),
      what: fc.constantFrom('plan', 'send', 'free', 'charge', 'assume', 'unknown', 'give up'),
      amount: fc.integer({ min: 1, max: 50 }),
      atLeast: fc.nat(50),
      days: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const first = id;
        id += 5;
        const get = (n: number) => purchase(first + n + 1, (n % 2) + 1, n === 4 ? 'check' : 'batch');
        for (const { purchase: n, what, amount: value, atLeast, days } of steps) {
          const own = get(n);
          const { closed } = await findMoney(db, own);
          const day = NOW + days * DAY;
          const money = amount(value);
          if (what === 'plan' && closed === null) await holdMoney(db, own, { to: 'planned', amount: money, at: NOW });
          if (what === 'send' && closed === null) await holdMoney(db, own, { to: 'sent', amount: money, at: NOW });
          if (what === 'free') await freeMoney(db, own, NOW);
          if (what === 'charge')
            await bookPurchase(db, own, { ...booking, to: 'charged', amount: money, atLeast: amount(atLeast), day });
          if (what === 'assume') await assumeCharged(db, own, { urls: 3, day, at: NOW });
          if (what === 'unknown') await bookPurchase(db, own, { ...booking, to: 'assumed', amount: null, day });
          if (what === 'give up') await giveUpAssumed(db, own);
        }
        assert.deepEqual(await findWrongTotals(db), []);
        for (let n = 0; n < 5; n++) await freeMoney(db, get(n), NOW);
        const { left } = await db.one(sql<{ left: number }>`
          SELECT coalesce(sum(amount), 0) AS left FROM journal_totals WHERE bucket IN ('planned', 'sent')`);
        assert.equal(left, 0);
        assert.deepEqual(await findWrongTotals(db), []);
      }),
      { numRuns: 100 },
    );
  });
});
