import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  decimalTry,
  formatTry,
  type Micros,
  maxMicros,
  micros,
  negateMicros,
  parseTry,
  splitMicros,
  sumMicros,
  timesMicros,
} from './money.ts';

test('every amount survives the way to text and back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 }), (amount) => {
      assert.equal(parseTry(decimalTry(amount as Micros)), amount);
      assert.equal(parseTry(formatTry(amount as Micros)), amount);
    }),
  );
});

test('a price below a kuruş is read one way', () => {
  for (const [text, amount] of [
    ['0.375 TRY', 375_000],
    ['0.0125 TRY', 12_500],
    ['1.5050 TRY', 1_505_000],
    ['1234.567', 1_234_567_000],
  ] as const)
    assert.equal(parseTry(text), amount, text);
});

test('amounts read as people write them', () => {
  assert.equal(parseTry('0.25'), 250_000);
  assert.equal(parseTry('50 TRY'), 50_000_000);
  assert.equal(parseTry('0.000001 try'), 1);
  assert.equal(formatTry(500_000 as Micros), '0.50 TRY');
  assert.equal(formatTry(1_234_500 as Micros), '1.2345 TRY');
  assert.equal(formatTry(1_125_000 as Micros), '1.1250 TRY', 'a Turkish reader takes 1.125 for 1125');
});

describe('texts that are not an amount, or two of them', () => {
  const twice = ['1.500', '1.500 TRY', '12.031 TRY', '999.999', '-1.500', '01.500 TRY'];
  for (const text of [...twice, '', 'abc', '1,5', '1.2345678', '1e3', '.5', '0x10', 'NaN', '99999999999', '1 USD']) {
    test(`"${text}"`, () => assert.equal(parseTry(text), null));
  }
});

test('money is never rounded silently', () => {
  assert.throws(() => micros(0.5), RangeError);
  assert.throws(() => micros(Number.MAX_SAFE_INTEGER + 1), RangeError);
  assert.throws(() => sumMicros(Number.MAX_SAFE_INTEGER as Micros, 1 as Micros), RangeError);
  assert.throws(() => timesMicros(0.1 as Micros, 3), RangeError);
  assert.equal(timesMicros(250_000 as Micros, 5000), 1_250_000_000);
  assert.throws(() => splitMicros(micros(10), 3), RangeError);
  assert.equal(splitMicros(micros(1_000_000), 4), 250_000);
  assert.equal(maxMicros(micros(-1), micros(3), micros(2)), 3);
  assert.ok(Object.is(negateMicros(micros(0)), 0));
  assert.equal(negateMicros(micros(5)), -5);
});
