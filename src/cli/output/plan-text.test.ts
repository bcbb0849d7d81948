import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Micros, parseTry } from '../../../contract/money.ts';
import type { AccountResources } from '../../connector/account-resources.ts';
import type { AccountId } from '../../submission/ids.ts';
import {
  formatAccountPlan,
  formatShortfall,
  formatUnreadBalance,
  sumAccountPlan,
  type WatchPlan,
} from './plan-text.ts';

const lira = (text: string): Micros => parseTry(text) ?? assert.fail(text);

const resources = (balance: string | null): AccountResources => ({
  account: 'main' as AccountId,
  balance: balance === null ? null : lira(balance),
  balanceAt: balance === null ? null : Date.UTC(2026, 0, 15, 12, 30),
  left: balance === null ? null : lira(balance),
  requestsLeft: { minute: 100, hour: 1_000, day: 10_000, submissions: 10 },
  failure: null,
});

/** The part of a watch's plan that the sum of the account reads. */
const planOf = (cost: string | null) =>
  ({ plan: { urls: 80, batches: 1, cost: cost === null ? null : lira(cost) } }) as unknown as WatchPlan;

const summary = (balance: string | null, ...costs: (string | null)[]) =>
  sumAccountPlan(resources(balance), costs.map(planOf), 10);

describe('the plan of an account', () => {
  test('a balance below the cost of all its watches says by how much, and what to do', () => {
    const sum = summary('10.00', '12.50', '7.50');
    assert.equal(sum.shortfall, lira('10.00'));
    assert.match(formatShortfall(sum) ?? '', /^The balance of main is 10\.00 TRY short of this plan\. .*Top up, or/);
    assert.match(formatAccountPlan(sum), /cost 20\.00 TRY; balance 10\.00 TRY \(2026-01-15 12:30 UTC\)/);
  });

  test('a balance that just suffices, a plan that buys nothing, and an unknown amount are no shortfall', () => {
    assert.equal(formatShortfall(summary('20.00', '12.50', '7.50')), null);
    assert.equal(formatShortfall(summary('0', '0')), null);
    assert.equal(formatShortfall(summary(null, '12.50')), null);
    assert.equal(formatShortfall(summary('10.00', '12.50', null)), null);
    assert.match(formatAccountPlan(summary(null, '12.50')), /balance not known/);
  });

  test('a balance that cannot be read now is the one of its time, or was never read', () => {
    assert.equal(
      formatUnreadBalance(resources('100.00'), 'status 401.'),
      'The balance of main cannot be read now: status 401. The one shown is of 2026-01-15 12:30 UTC and may have changed ' +
        'since. Nothing was planned or charged.',
    );
    assert.match(
      formatUnreadBalance(resources(null), 'status 401'),
      /status 401\. It was never read\. Nothing was planned/,
    );
  });
});
