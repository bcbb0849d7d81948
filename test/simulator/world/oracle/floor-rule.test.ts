import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { About } from './breaches.ts';
import { BALANCE_NOTICED_MS, type BeyondFloor, FloorRule } from './floor-rule.ts';

function createRule() {
  const found: About[] = [];
  const rule = new FloorRule((_text, about) => found.push(about!));
  const charge = (balance: number, more: Partial<BeyondFloor> = {}) =>
    rule.charged({
      ...{ account: 'a', what: 'R-1', kind: 'batch', balance, floor: 100, amount: 10, expected: 10 },
      ...{ since: 1_000_000, at: 1_000_100, knownAt: () => 1_000_200 },
      ...more,
    });
  return { rule, found, charge };
}

describe('the floor', () => {
  test('holds to the micro-lira', () => {
    const { charge, found } = createRule();
    charge(100);
    assert.equal(found.length, 0);
    charge(99);
    assert.equal(found[0]?.beyond, 1);
  });

  test('what another program spent is allowed, and no more than that', () => {
    const { rule, charge, found } = createRule();
    rule.spendElsewhere('a', 7, 1_000_000 - BALANCE_NOTICED_MS + 1);
    rule.spendElsewhere('b', 1_000, 999_999);
    charge(93);
    assert.equal(found.length, 0);
    charge(92);
    assert.equal(found[0]?.beyond, 1);
  });

  test('nothing of it is, once a balance must have been read', () => {
    const { rule, charge, found } = createRule();
    rule.spendElsewhere('a', 7, 1_000_000 - BALANCE_NOTICED_MS);
    charge(93);
    assert.equal(found[0]?.beyond, 7);
  });

  test('of a price that had just risen the difference is allowed, until the amount is known', () => {
    const { charge, found } = createRule();
    charge(80, { amount: 30, expected: 10 });
    charge(80, { since: 1_000_150 });
    assert.equal(found.length, 0);
    charge(80, { since: 1_000_200 });
    assert.equal(found[0]?.beyond, 20);
  });
});
