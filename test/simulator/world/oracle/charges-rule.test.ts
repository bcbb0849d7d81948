import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ShownCharge } from '../faults.ts';
import { type ChargesToCheck, checkCharges, type LedgerEntry, type Seen, type ServiceEntry } from './charges-rule.ts';

const JOB: ServiceEntry = { name: 'R-1', account: 'main', charged: 400, urls: 2 };
const CHARGE: LedgerEntry = {
  ...{ name: 'R-1', account: 'main', amount: 400, urls: 2, isReported: true },
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
    ...{ kind: 'batch', service, ledger, findSeen: () => SEEN, mayMiss: () => false, guessedFrom: null },
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

  test('count what the service never says at the lowest price at least', () => {
    const guessed = { ...CHARGE, amount: 800, isReported: false };
    assert.deepEqual(check([JOB], [guessed], { guessedFrom: 200 }), []);
    assert.equal(check([JOB], [{ ...guessed, amount: 399 }], { guessedFrom: 200 }).length, 1);
    assert.equal(check([JOB], [{ ...guessed, isReported: true }], { guessedFrom: 200 }).length, 1);
  });

  test('count an index-check without an answer, which the service may not have', () => {
    assert.deepEqual(check([], [{ ...CHARGE, isReported: false }], { kind: 'check' }), []);
    assert.equal(check([], [CHARGE], { kind: 'check' }).length, 1);
  });

  test('count a batch without a job that an operator has left, and none that the service is said to have charged', () => {
    assert.deepEqual(check([], [{ ...CHARGE, name: null, isReported: false }]), []);
    assert.equal(check([], [{ ...CHARGE, name: null }]).length, 1);
    assert.equal(check([], [{ ...CHARGE, isReported: false }]).length, 1);
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

  test('are at least what URLs ever cost where an answer has not shown them', () => {
    assert.deepEqual(show('hidden', null, { amount: 500, isReported: false }), []);
    assert.deepEqual(show('hidden', null, { amount: 399, isReported: false }), ['batch guessed']);
    assert.deepEqual(show('hidden', null, { amount: 500 }), ['batch amount']);
  });

  test('name exactly what they were taken for', () => {
    assert.deepEqual(show('in euros', 8, { amount: 8 }), ['batch amount, euros']);
    assert.deepEqual(show('in euros', 8, { amount: 9 }), ['batch amount']);
    assert.deepEqual(show('total called price', 400, { amount: 800 }), ['batch amount, a total called a price']);
    assert.deepEqual(show('total called price', 400, { amount: 801 }), ['batch amount']);
  });
});
