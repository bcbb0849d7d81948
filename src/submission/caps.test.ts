import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Micros, ZERO } from '../../contract/money.ts';
import { capRefusal, isBeyondCap, lowerCap, type SpendQuestion, urlsAllowed, waitsForMoney } from './caps.ts';
import type { SpendReason } from './reason.ts';

const lira = (amount: number) => (amount * 1_000_000) as Micros;
const nothing = { run: lira(0), day: lira(0), month: lira(0) };
const free: SpendQuestion = {
  cost: lira(10),
  watch: { caps: {}, spent: nothing },
  account: { caps: {}, spent: nothing },
  balance: null,
  floor: lira(0),
};

describe('capRefusal', () => {
  test('allows every spend without caps and without a known balance', () => {
    assert.equal(capRefusal(free), null);
    assert.equal(capRefusal({ ...free, cost: null }), null);
  });

  test('refuses every spend while a floor is set and the balance is unknown', () => {
    const question = { ...free, balance: 'unknown' as const, floor: lira(100) };
    for (const cost of [lira(1), null]) {
      assert.deepEqual(capRefusal({ ...question, cost })?.reason, { code: 'balance_unknown', floor: lira(100) });
    }
    assert.equal(urlsAllowed(question, lira(1), 5).urls, 0);
  });

  test('the message of a limited plan says how many URLs fit', () => {
    const question = { ...free, watch: { caps: { perRun: lira(5) }, spent: nothing } };
    const { urls, refusal } = urlsAllowed(question, lira(0.25), 100);
    assert.equal(urls, 20);
    assert.match(
      refusal?.message ?? '',
      /the cap watch per run of 5.00 TRY leaves 5.00 TRY, which allows 20 of 100 URLs/,
    );
  });

  test('waiting helps with a daily cap, not with a cap smaller than the spend or used up by its run', () => {
    const watch = (caps: object, spent = nothing) => capRefusal({ ...free, watch: { caps, spent } });
    const spent = { ...nothing, run: lira(6), day: lira(6) };
    assert.equal(isBeyondCap(watch({ perDay: lira(15) }, spent)!), false);
    assert.equal(isBeyondCap(watch({ perDay: lira(9) })!), true);
    assert.equal(isBeyondCap(watch({ perRun: lira(15) }, spent)!), true);
    assert.equal(waitsForMoney(watch({ perDay: lira(9) })!), false);
    assert.equal(waitsForMoney(capRefusal({ ...free, balance: lira(1) })!), true);
  });

  test('one micro below zero is a negative balance, and a floor of one micro is a floor', () => {
    const means = (balance: number, floor: number) =>
      capRefusal({ ...free, balance: balance as Micros, floor: floor as Micros })?.reason.code;
    assert.deepEqual([means(-1, 0), means(0, 0), means(0, 1)], ['balance_negative', 'balance_short', 'floor_short']);
  });

  const cases: { what: string; question: SpendQuestion; means: SpendReason }[] = [
    {
      what: 'the cap of a run',
      question: { ...free, watch: { caps: { perRun: lira(15) }, spent: { ...nothing, run: lira(6) } } },
      means: { code: 'cap_reached', scope: 'watch', period: 'run', limit: lira(15), left: lira(9), cost: lira(10) },
    },
    {
      what: 'the daily cap of the watch',
      question: { ...free, watch: { caps: { perDay: lira(5) }, spent: { ...nothing, day: lira(9) } } },
      means: { code: 'cap_reached', scope: 'watch', period: 'day', limit: lira(5), left: lira(0), cost: lira(10) },
    },
    {
      what: 'the monthly cap of the account',
      question: { ...free, account: { caps: { perMonth: lira(100) }, spent: { day: lira(0), month: lira(91) } } },
      means: {
        code: 'cap_reached',
        scope: 'account',
        period: 'month',
        limit: lira(100),
        left: lira(9),
        cost: lira(10),
      },
    },
    {
      what: 'the balance',
      question: { ...free, balance: lira(9) },
      means: { code: 'balance_short', left: lira(9), cost: lira(10) },
    },
    {
      what: 'the floor',
      question: { ...free, balance: lira(109), floor: lira(100) },
      means: { code: 'floor_short', floor: lira(100), left: lira(9), cost: lira(10) },
    },
    {
      what: 'a balance that is negative',
      question: { ...free, balance: lira(-5) },
      means: { code: 'balance_negative', balance: lira(-5), cost: lira(10) },
    },
    {
      what: 'a cap while the price is unknown',
      question: { ...free, cost: null, account: { caps: { perDay: lira(500) }, spent: nothing } },
      means: { code: 'price_unknown', limit: lira(500) },
    },
  ];
  for (const { what, question, means } of cases) {
    test(`refuses to exceed ${what}, and the message says so`, () => {
      const refused = capRefusal(question);
      assert.deepEqual(refused?.reason, means);
      assert.match(refused?.message ?? '', /nothing was spent/);
    });
  }

  test('allows a spend of exactly what is left', () => {
    const question = { ...free, watch: { caps: { perRun: lira(10) }, spent: nothing }, balance: lira(10) };
    assert.equal(capRefusal(question), null);
  });

  const amount = fc.integer({ min: 0, max: 1e9 }).map((n) => n as Micros);
  const cap = fc.option(amount);
  const question = fc.record({
    watch: fc.record({
      caps: fc.record({ perRun: cap, perDay: cap, perMonth: cap }),
      spent: fc.record({ run: amount, day: amount, month: amount }),
    }),
    account: fc.record({
      caps: fc.record({ perDay: cap, perMonth: cap }),
      spent: fc.record({ day: amount, month: amount }),
    }),
    balance: fc.option(fc.integer({ min: -1e9, max: 1e9 }).map((n): Micros => n as Micros)),
    floor: amount,
  });

  test('no sequence of allowed spends exceeds a cap or crosses the floor', () => {
    fc.assert(
      fc.property(question, fc.array(amount, { maxLength: 20 }), (start, costs) => {
        let at = start;
        for (const cost of costs) {
          if (capRefusal({ ...at, cost }) !== null || cost === 0) continue;
          const add = (spent: Micros) => (spent + cost) as Micros;
          const { watch, account } = at;
          at = {
            ...at,
            watch: {
              ...watch,
              spent: { run: add(watch.spent.run), day: add(watch.spent.day), month: add(watch.spent.month) },
            },
            account: { ...account, spent: { day: add(account.spent.day), month: add(account.spent.month) } },
            balance: at.balance === null ? null : ((at.balance - cost) as Micros),
          };
          assert.ok(at.watch.spent.run <= (at.watch.caps.perRun ?? Number.POSITIVE_INFINITY));
          assert.ok(at.watch.spent.day <= (at.watch.caps.perDay ?? Number.POSITIVE_INFINITY));
          assert.ok(at.watch.spent.month <= (at.watch.caps.perMonth ?? Number.POSITIVE_INFINITY));
          assert.ok(at.account.spent.day <= (at.account.caps.perDay ?? Number.POSITIVE_INFINITY));
          assert.ok(at.account.spent.month <= (at.account.caps.perMonth ?? Number.POSITIVE_INFINITY));
          assert.ok(at.balance === null || at.balance >= at.floor);
        }
      }),
    );
  });

  test('urlsAllowed returns the largest number of URLs that no cap refuses', () => {
    fc.assert(
      fc.property(question, amount, fc.integer({ min: 0, max: 5000 }), (at, price, wanted) => {
        const { urls, refusal } = urlsAllowed(at, price, wanted);
        const toCost = (count: number) => (price * count) as Micros;
        assert.equal(capRefusal({ ...at, cost: toCost(urls) }), null);
        assert.equal(urls === wanted, refusal === null);
        if (urls < wanted) assert.notEqual(capRefusal({ ...at, cost: toCost(urls + 1) }), null);
      }),
    );
  });

  test('of two caps the tighter one holds; no cap is the loosest', () => {
    const [one, two] = [1 as Micros, 2 as Micros];
    assert.deepEqual(
      [lowerCap(one, two), lowerCap(two, one), lowerCap(one, one), lowerCap(null, two), lowerCap(two, null)],
      [one, one, one, two, two],
    );
    assert.equal(lowerCap(null, null), null);
    assert.equal(lowerCap(ZERO, two), 0, 'a cap of zero is a cap');
    assert.equal(lowerCap(two, ZERO), 0);
  });
});
