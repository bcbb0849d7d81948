import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimalTry, formatTry, type Micros, micros, parseTry, sumMicros, timesMicros } from './money.ts';

test('text to money and back loses nothing, for every amount', () => {
  fc.assert(
    fc.property(fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 }), (amount) => {
      assert.equal(parseTry(decimalTry(amount as Micros)), amount);
      assert.equal(parseTry(formatTry(amount as Micros)), amount);
    }),
  );
});

test('amounts read as people write them', () => {
  assert.equal(parseTry('0.25'), 250_000);
  assert.equal(parseTry('50 TRY'), 50_000_000);
  assert.equal(parseTry('0.000001 try'), 1);
  assert.equal(formatTry(500_000 as Micros), '0.50 TRY');
  assert.equal(formatTry(1_234_500 as Micros), '1.2345 TRY');
});

for (const text of ['', 'abc', '1,5', '1.2345678', '1e3', '.5', '0x10', 'NaN', '99999999999', '1 USD']) {
  test(`"${text}" is no amount of money`, () => assert.equal(parseTry(text), null));
}

test('money is never rounded in silence', () => {
  assert.throws(() => micros(0.5), RangeError);
  assert.throws(() => micros(Number.MAX_SAFE_INTEGER + 1), RangeError);
  assert.throws(() => sumMicros(Number.MAX_SAFE_INTEGER as Micros, 1 as Micros), RangeError);
  assert.throws(() => timesMicros(0.1 as Micros, 3), RangeError);
  assert.equal(timesMicros(250_000 as Micros, 5000), 1_250_000_000);
});
