import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
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
});
