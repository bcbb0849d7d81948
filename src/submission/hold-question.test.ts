import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Micros, micros } from '../../contract/money.ts';
import { describeForecast, describeRemedy } from './hold-question.ts';
import type { Reason } from './reason.ts';

const lira = (amount: number) => micros(amount * 1_000_000);
const forecast = (urls: number, cost: Micros | null, allowed = urls) => ({ urls, cost, allowed });

describe('what an approval is asked for', () => {
  for (const [asked, says] of [
    [forecast(101, lira(25.25)), '101 URLs, 25.25 TRY'],
    [forecast(101, lira(25.25), 40), '101 URLs, 25.25 TRY; 40 of them fit the caps and the balance now'],
    [
      forecast(12_001, null, 0),
      '12,001 URLs, at a price that is not known yet; none of them fits the caps and the balance now',
    ],
    [forecast(1, lira(0.25)), '1 URL, 0.25 TRY'],
    [forecast(2, lira(0.5), 1), '2 URLs, 0.50 TRY; 1 of them fits the caps and the balance now'],
    [forecast(0, lira(0)), 'nothing to buy'],
  ] as const) {
    test(says, () => assert.equal(describeForecast(asked), says));
  }
});

describe('what ends a hold without a decision', () => {
  const cap = (period: 'run' | 'day' | 'month', cost: number): Reason => ({
    ...{ code: 'cap_reached', scope: 'account', period, limit: lira(10), left: lira(1), cost: lira(cost) },
  });
  const guard: Reason = { code: 'max_new', urls: 2, limit: 1 } as never;
  const short: Reason = { code: 'floor_short', floor: lira(10), left: lira(0), cost: lira(5) };
  for (const [what, reasons, says] of [
    ['a balance', [short], 'Top up, and it goes on by itself'],
    [
      'a cap that the next day allows',
      [cap('day', 5)],
      'Raise the cap, or wait for the next day (UTC), and it goes on by itself',
    ],
    [
      'a cap that no day allows',
      [cap('day', 25)],
      'Raise the cap, and it goes on by itself. Approved, it buys what fits now, and later runs buy the rest',
    ],
    [
      'a price',
      [{ code: 'price_unknown', limit: lira(1) }],
      'Set price_per_url of the account, and it goes on by itself',
    ],
    [
      'an unknown balance',
      [{ code: 'balance_unknown', floor: lira(1) }],
      'It goes on by itself once the service shows the balance',
    ],
    ['a guard', [guard], null],
    ['a guard beside a balance', [guard, short], null],
  ] as readonly (readonly [string, readonly Reason[], string | null])[]) {
    test(`${what}: ${says ?? 'only a decision does'}`, () => assert.equal(describeRemedy(reasons), says));
  }
});
