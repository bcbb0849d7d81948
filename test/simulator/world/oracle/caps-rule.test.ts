import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { About } from './breaches.ts';
import { type Caps, CapsRule, looser, NO_CAPS, type Spending, toDay } from './caps-rule.ts';

const NEVER = () => Number.POSITIVE_INFINITY;

function createRule() {
  const found: (About & { readonly text: string })[] = [];
  const rule = new CapsRule((text, about) => found.push({ text, ...about }));
  return {
    found,
    rule,
    spend: (amount: number, date: string, caps: Partial<Caps>, more: Partial<Spending> = {}) =>
      rule.spend({
        ...{ account: 'first', watch: 'w0', run: 'run-1', caps: { ...NO_CAPS, ...caps }, day: toDay(Date.parse(date)) },
        ...{ amount, expected: amount, at: 0, knownAt: () => 0, what: 'R-1', kind: 'batch' },
        ...more,
      }),
  };
}

describe('the rule of the caps', () => {
  for (const [name, other, nextWindow] of [
    ['perDay', 'w1', '2026-04-01T00:00Z'],
    ['perMonth', 'w1', '2026-04-01T00:00Z'],
    ['watchPerDay', 'w0', '2026-04-01T00:00Z'],
    ['watchPerMonth', 'w0', '2026-04-01T00:00Z'],
  ] as const) {
    test(`${name} counts what belongs to it, and begins again with its window`, () => {
      const { spend, found } = createRule();
      const caps = { [name]: 10 };
      spend(6, '2026-03-31T23:00Z', caps);
      spend(4, '2026-03-31T23:00Z', caps, { watch: other });
      spend(10, nextWindow, caps);
      assert.equal(found.length, 0);
      spend(1, '2026-03-31T23:59Z', caps, { watch: other });
      assert.equal(found[0]?.beyond, 1);
    });
  }

  test('a month goes on at the end of a day, and a watch has a cap of its own', () => {
    const { spend, found } = createRule();
    spend(6, '2026-03-30T12:00Z', { perMonth: 10 });
    spend(6, '2026-03-31T12:00Z', { watchPerMonth: 10 }, { watch: 'w1' });
    assert.equal(found.length, 0);
    spend(1, '2026-03-31T12:00Z', { perMonth: 10 });
    assert.equal(found.length, 1);
  });

  test('each account has the cap of its day for itself, and a watch that changes its account goes on with its own', () => {
    const { spend, found, rule } = createRule();
    const day = '2026-03-30T12:00Z';
    spend(6, day, { perDay: 10 });
    spend(6, day, { perDay: 10 }, { watch: 'w1', account: 'second' });
    assert.equal(found.length, 0);
    spend(5, day, { watchPerDay: 10 }, { account: 'second' });
    assert.equal(found.length, 1);
    const both = { accounts: ['first', 'second'], watches: ['w0'] };
    assert.equal(rule.getSpent('perDay', both, toDay(Date.parse(day))), 11);
  });

  test('each run has its cap for itself, and three runs do not lend theirs to one', () => {
    const { spend, found } = createRule();
    for (const run of ['run-1', 'run-2', 'run-3'])
      spend(run === 'run-3' ? 10 : 0, '2026-03-31', { watchPerRun: 10 }, { run });
    assert.equal(found.length, 0);
    spend(1, '2026-04-01', { watchPerRun: 10 }, { run: 'run-3' });
    assert.equal(found[0]?.beyond, 1);
  });

  test('what a run has spent when its cap is lowered is spent: it may send nothing more', () => {
    const { spend, found } = createRule();
    spend(20, '2026-03-31', {});
    spend(1, '2026-03-31', { watchPerRun: 10 });
    assert.equal(found[0]?.beyond, 1, 'what was spent before is beyond it, and breaks nothing');
  });

  test('of a charge at a price that had just risen only the difference is beyond the cap', () => {
    const { spend, found } = createRule();
    spend(30, '2026-03-31', { perDay: 10 }, { expected: 10, knownAt: NEVER });
    assert.equal(found.length, 0);
    spend(30, '2026-04-01', { perDay: 10 }, { expected: 11, knownAt: NEVER });
    assert.equal(found[0]?.beyond, 1, 'more was expected than the cap allows');
  });

  test('it counts in full for what is sent once it is known', () => {
    for (const [at, breaches] of [
      [99, 0],
      [100, 1],
    ] as const) {
      const { spend, found } = createRule();
      spend(30, '2026-03-31', { perDay: 40 }, { expected: 10, knownAt: () => 100 });
      spend(11, '2026-03-31', { perDay: 40 }, { at });
      assert.equal(found.length, breaches);
    }
  });

  test('what belongs to no batch counts for the account, and breaks nothing by itself', () => {
    const { spend, found, rule } = createRule();
    rule.add({ account: 'first', watch: null, amount: 10, day: toDay(Date.parse('2026-03-31')) });
    assert.equal(found.length, 0);
    spend(1, '2026-03-31', { perDay: 10 });
    assert.equal(found.length, 1);
  });

  test('of two configurations the looser cap holds, and none is the loosest', () => {
    const a = { ...NO_CAPS, perDay: 3, perMonth: 5 };
    assert.deepEqual(looser(a, { ...NO_CAPS, perDay: 7 }), { ...NO_CAPS, perDay: 7 });
  });
});
