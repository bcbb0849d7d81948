import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { getChargeDay, getDayStart, getMonthStart } from './days.ts';

const at = (day: number, hour: number) => Date.UTC(2026, 0, day, hour);

describe('the day of a charge', () => {
  const now = at(20, 12);
  for (const [what, times, day] of [
    [
      'of a job that the list dates is that of its creation',
      { createdAt: at(18, 9), sentAt: at(17, 9), attempts: 3 },
      18,
    ],
    [
      'is never before its first send, whatever the service calls the time',
      { createdAt: at(16, 9), sentAt: at(17, 1), attempts: 1 },
      17,
    ],
    ['is never tomorrow', { createdAt: at(21, 1), sentAt: at(20, 11), attempts: 1 }, 20],
    [
      'of the only attempt is that of its send, however late it is found',
      { createdAt: null, sentAt: at(17, 23), attempts: 1 },
      17,
    ],
    ['that one of several attempts made is today', { createdAt: null, sentAt: at(17, 23), attempts: 2 }, 20],
    ['that this ledger never sent is that of its creation', { createdAt: at(3, 4), sentAt: null, attempts: 0 }, 3],
    ['of which nothing is known is today', { createdAt: null, sentAt: null, attempts: 0 }, 20],
    ['of a send from the future is today', { createdAt: null, sentAt: at(22, 1), attempts: 1 }, 20],
  ] as const) {
    test(what, () => assert.equal(getChargeDay(times, now), at(day, 0)));
  }

  test('and its month begin with their first millisecond', () => {
    assert.equal(getDayStart(at(20, 0)), at(20, 0));
    assert.equal(getDayStart(at(20, 0) - 1), at(19, 0));
    assert.equal(getMonthStart(at(1, 0)), at(1, 0));
    assert.equal(getMonthStart(at(1, 0) - 1), Date.UTC(2025, 11, 1));
  });
});
