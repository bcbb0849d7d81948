import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ShownCharge } from '../faults.ts';
import { type ChargesToCheck, checkCharges, type LedgerEntry, type Seen, type ServiceEntry } from './charges-rule.ts';

const JOB: ServiceEntry = { name: 'R-1', key: 'k1', account: 'main', charged: 400, urls: 2 };
const CHARGE: LedgerEntry = {
  ...{ name: 'R-1', key: 'k1', account: 'main', amount: 400, urls: 2, isReported: true },
  ...{ watch: 'w0', run: 'run-1', day: 5 },
};
const SEEN: Seen = { watch: 'w0', run: 'run-1', firstDay: 5, lastDay: 6 };

function check(
  service: readonly ServiceEntry[],
  ledger: readonly LedgerEntry[],
  more: Partial<ChargesToCheck> = {},
): string[] {
  const found: string[] = [];
  checkCharges({
    report: (text) => found.push(text),
    ...{ kind: 'batch', service, ledger, findSeen: () => SEEN, mayMiss: () => false },
    ...{ mayAssume: () => false, isGuessed: false, priceRange: [200, 400] },
    findShown: () => null,
    ...more,
  });
  return found;
}

describe('the charges of the ledger', () => {
  test('agree entry by entry', () => {
    assert.deepEqual(check([JOB], [CHARGE, { ...CHARGE, day: 6 }]), []);
  });

  for (const [what, wrong] of [
    ['amount', { amount: 399 }],
    ['account', { account: 'second' }],
    ['watch', { watch: 'w1' }],
    ['run', { run: 'run-2' }],
    ['day: that of its plan', { day: 4 }],
    ['day: one after its answer', { day: 7 }],
    ['reference', { name: 'R-2' }],
  ] as const) {
    test(`do not with another ${what}`, () => {
      assert.ok(check([JOB], [{ ...CHARGE, ...wrong }]).length > 0);
    });
  }

  test('do not where two mistakes cancel out', () => {
    const service = [JOB, { ...JOB, name: 'R-2' }];
    const ledger = [
      { ...CHARGE, amount: 300 },
      { ...CHARGE, name: 'R-2', amount: 500 },
    ];
    assert.equal(check(service, ledger).length, 2);
  });

  test('do not where the ledger lacks a charge, unless nothing can show it', () => {
    assert.equal(check([JOB], []).length, 1);
    assert.deepEqual(check([JOB], [], { mayMiss: () => true }), []);
  });

  test('say nothing of the watch, the run and the day of a job that only the list showed', () => {
    assert.deepEqual(check([JOB], [{ ...CHARGE, watch: 'w1', run: null, day: 9 }], { findSeen: () => null }), []);
  });

  test('count what the service never says between the lowest and the highest price there was', () => {
    const guess = (amount: number, more: Partial<LedgerEntry> = {}) =>
      check([JOB], [{ ...CHARGE, amount, isReported: false, ...more }], { isGuessed: true }).length;
    assert.deepEqual(
      [399, 400, 800, 801].map((amount) => guess(amount)),
      [1, 0, 0, 1],
    );
    assert.equal(guess(500, { isReported: true }), 1);
  });

  test('count an index-check without an answer, which the service may not have, and none that never left', () => {
    const open = { ...CHARGE, isReported: false };
    const mayAssume = (key: string) => key === 'k1';
    assert.deepEqual(check([], [open], { kind: 'check', mayAssume }), []);
    assert.equal(check([], [{ ...open, key: 'k2' }], { kind: 'check', mayAssume }).length, 1);
    assert.equal(check([], [{ ...open, amount: 801 }], { kind: 'check', mayAssume }).length, 1, 'its amount');
    assert.equal(check([], [CHARGE], { kind: 'check', mayAssume }).length, 1, 'nobody can have reported it');
  });

  test('count a batch without a job only where an operator has left it, for what it may have cost', () => {
    const left = { ...CHARGE, name: null, isReported: false };
    const mayAssume = (key: string) => key === 'k1';
    assert.deepEqual(check([], [left], { mayAssume }), []);
    assert.equal(check([], [left]).length, 1, 'nobody has left it');
    assert.equal(check([], [{ ...left, key: null }], { mayAssume }).length, 1, 'it was never sent');
    assert.equal(check([], [{ ...left, amount: 801 }], { mayAssume }).length, 1, 'too much');
    assert.equal(check([], [{ ...left, isReported: true }], { mayAssume }).length, 1, 'nobody can have reported it');
    assert.equal(check([], [{ ...left, name: 'R-1' }], { mayAssume }).length, 1, 'a job that nobody has');
  });

  test('count a batch that an operator has left, and that was charged, by its key', () => {
    const left = { ...CHARGE, name: null, isReported: false };
    const mayAssume = () => true;
    assert.deepEqual(check([JOB], [left], { mayAssume }), []);
    assert.equal(check([JOB], [{ ...left, watch: 'w1' }], { mayAssume }).length, 1);
    assert.equal(check([JOB], [{ ...left, account: 'second' }], { mayAssume }).length, 1);
  });

  const show = (how: ShownCharge['how'], amount: number | null, ledger: Partial<LedgerEntry>) => {
    const causes: (string | undefined)[] = [];
    check([JOB], [{ ...CHARGE, ...ledger }], {
      ...{ findShown: () => ({ how, amount }), report: (_, about) => causes.push(about?.cause) },
    });
    return causes;
  };

  test('are as they were shown where an answer has rounded them', () => {
    assert.deepEqual(show('rounded', 401, { amount: 401 }), []);
    assert.deepEqual(show('rounded', 401, { amount: 400 }), []);
    assert.deepEqual(show('rounded', 401, { amount: 402 }), ['batch amount']);
  });

  test('are what URLs ever cost where an answer has not shown them', () => {
    assert.deepEqual(show('hidden', null, { amount: 500, isReported: false }), []);
    assert.deepEqual(show('hidden', null, { amount: 399, isReported: false }), ['batch guessed']);
    assert.deepEqual(show('hidden', null, { amount: 500 }), ['batch amount']);
  });
});
