import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Micros, micros } from '../../../../contract/money.ts';
import type { Facts, ListedJob } from '../../../../src/connector/audit/audit.ts';
import { compareFacts } from '../../../../src/connector/audit/compare-facts.ts';
import type { AccountId, Reference } from '../../../../src/submission/ids.ts';
import { type AuditToCheck, checkAudit } from './audit-rule.ts';

const HOUR = 3_600_000;

const job = (project: string): ListedJob => ({
  ...{ reference: 'X-1' as Reference, state: null, project, createdAt: 5 * HOUR, urlCount: 1 },
  ...{ charged: micros(7), pricePerUrl: null },
});

/** The balance at each hour; nothing was bought. */
function check(balances: readonly number[], more: Partial<AuditToCheck> & Pick<Partial<Facts>, 'list'> = {}): string[] {
  const found: string[] = [];
  const { list = { kind: 'read', jobs: [] }, ...rest } = more;
  const audit = compareFacts({
    ...{ account: 'main' as AccountId, period: { from: 0, until: 24 * HOUR }, booked: [], inDoubt: [], list },
    ...{ lookedUp: new Map(), foreign: new Set(), isOwnProject: () => false, balanceFailure: null },
    readings: balances.map((amount, hour) => {
      return { since: hour * HOUR, at: hour * HOUR, amount: amount as Micros, journalId: 0 };
    }),
  });
  checkAudit({
    report: (text) => found.push(text),
    ...{ audit, account: 'main', outside: { spent: [], received: [] }, mayDiffer: () => false, assumed: 0 },
    ...rest,
  });
  return found;
}

describe('an audit at the end of a seed', () => {
  test('finds what the world did, and no more', () => {
    assert.deepEqual(check([1_001, 1_001]), []);
    assert.deepEqual(check([1_001, 901], { outside: { spent: [100], received: [] } }), []);
    assert.match(check([1_001, 900], { outside: { spent: [100], received: [] } })[0]!, /101 spent outside 1 times/);
    assert.match(
      check([1_001, 951, 901], { outside: { spent: [100], received: [] } })[0]!,
      /100 spent outside 2 times/,
    );
    assert.deepEqual(check([901, 1_001], { outside: { spent: [], received: [100] } }), []);
    assert.match(check([901, 1_002], { outside: { spent: [], received: [100] } })[0]!, /101 received 1 times/);
    assert.deepEqual(check([901, 1_002], { outside: { spent: [], received: [100] }, assumed: 1 }), []);
  });

  test('leaves no entry in question that the world did not put there', () => {
    const lost = { list: { kind: 'read', jobs: [job('Shop [sc00000000000001]')] } } as const;
    assert.match(check([], lost)[0]!, /calls submission X-1 only_there \(other_ledger\)/);
    assert.deepEqual(check([], { ...lost, mayDiffer: ({ reference }) => reference === 'X-1' }), []);
    assert.deepEqual(check([], { list: { kind: 'read', jobs: [job('Newsletter')] } }), []);
  });
});
