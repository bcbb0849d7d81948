import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Micros } from '../../contract/money.ts';
import { type Change, type GuardPolicy, guardTrips } from './guard.ts';

const guard: GuardPolicy = { maxNew: 5000, maxNewPercent: 20, maxGonePercent: 30 };
const quiet: Change = { newUrls: 10, gone: 0, knownBefore: 1000 };

const rows: { change: Change; rules: string[] }[] = [
  { change: quiet, rules: [] },
  { change: { ...quiet, newUrls: 200 }, rules: [] },
  { change: { ...quiet, newUrls: 201 }, rules: ['max_new_percent'] },
  { change: { ...quiet, newUrls: 5001 }, rules: ['max_new', 'max_new_percent'] },
  { change: { ...quiet, knownBefore: 1_000_000, newUrls: 5001 }, rules: ['max_new'] },
  { change: { ...quiet, gone: 300 }, rules: [] },
  { change: { ...quiet, gone: 301 }, rules: ['max_gone_percent'] },
  { change: { newUrls: 4000, gone: 0, knownBefore: 0 }, rules: [] },
];
for (const { change, rules } of rows) {
  test(`${change.newUrls} new and ${change.gone} gone of ${change.knownBefore}: ${rules.join(', ') || 'plausible'}`, () => {
    assert.deepEqual(
      guardTrips(change, guard).map(({ rule }) => rule),
      rules,
    );
  });
}

test('a rule that is switched off never trips', () => {
  const off: GuardPolicy = { maxNew: null, maxNewPercent: null, maxGonePercent: null };
  assert.deepEqual(guardTrips({ newUrls: 1e6, gone: 1e6, knownBefore: 1e6 }, off), []);
});

test('a plan over a cap waits for a person, who reads which cap', () => {
  const overCap = {
    cap: 'balance',
    limit: 0 as Micros,
    left: 0 as Micros,
    message: 'the balance leaves 0.00 TRY',
  } as const;
  assert.deepEqual(guardTrips({ ...quiet, overCap }, guard), [{ rule: 'spend', message: overCap.message }]);
});

test('the reason is a sentence with the numbers in it', () => {
  assert.equal(
    guardTrips({ newUrls: 0, gone: 12_345, knownBefore: 20_000 }, guard)[0]?.message,
    '12,345 of 20,000 known URLs are gone (61.7%), more than max_gone_percent allows (30%)',
  );
});
