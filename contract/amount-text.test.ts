import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { describeAmount, explainAmount, listReadings, writeTry } from './amount-text.ts';
import { formatTry, type Micros, parseTry } from './money.ts';

/** What people write, and every amount that it may mean, in lira. */
const READINGS: readonly (readonly [string, readonly number[]])[] = [
  ['1.500 TRY', [1500, 1.5]],
  ['1,500 TRY', [1500, 1.5]],
  ['12.031 TRY', [12_031, 12.031]],
  ['999,999', [999_999, 999.999]],
  ['1.505', [1505, 1.505]],
  ['₺1.500', [1500, 1.5]],
  ['1.500 TL', [1500, 1.5]],
  ['1.500\u00a0₺', [1500, 1.5]],
  ['-1.500', [-1500, -1.5]],
  ['+1,500', [1500, 1.5]],
  ['1.500,00', [1500]],
  ['1,500.00 TRY', [1500]],
  ['1.500.000', [1_500_000]],
  ['1,500,000.25', [1_500_000.25]],
  ["1'500", [1500]],
  ['1’500.50', [1500.5]],
  ['1 500', [1500]],
  ['1\u00a0500,25 TL', [1500.25]],
  ['1\u202f500', [1500]],
  ['1_500', [1500]],
  ['١٥٠٠', [1500]],
  ['١٬٥٠٠', [1500]],
  ['۱۵۰۰ ₺', [1500]],
  ['１５００', [1500]],
  ['.5', [0.5]],
  ['5.', [5]],
  ['0,25', [0.25]],
  ['0.375', [0.375]],
  ['0,375 TRY', [0.375]],
  ['12,5 lira', [12.5]],
  ['50 türk lirası', [50]],
  ['1234.567', [1234.567]],
  ['1.2345', [1.2345]],
  ['0.2500000', [0.25]],
  ['0.1234567 TRY', []],
  ['1e3', []],
  ['0x10', []],
  ['1.50.00', []],
  ['1.500 000', []],
  ['12.34,5', []],
  ['500 EUR', []],
  ['$500', []],
  ['.', []],
  ['', []],
  ['TRY', []],
  ['99999999999', []],
];

describe('an amount as people write it', () => {
  for (const [text, lira] of READINGS) {
    test(`"${text}" is ${lira.length === 0 ? 'no amount of lira' : lira.join(' or ')}`, () => {
      assert.deepEqual(
        listReadings(text),
        lira.map((each) => Math.round(each * 1e6)),
      );
    });
  }

  test('is refused or has the one reading that is taken', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789.,  TRY₺\u00a0-'), maxLength: 16 });
    fc.assert(
      fc.property(digits, (text) => {
        const read = parseTry(text);
        if (read !== null) assert.deepEqual(listReadings(text), [read], text);
      }),
      { numRuns: 20_000 },
    );
  });

  test('is one amount when the connector wrote it, and the same in every reading', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000_000_000_000_000, max: 9_000_000_000_000_000 }), (amount) => {
        for (const text of [formatTry(amount as Micros), writeTry(amount as Micros)]) {
          assert.equal(parseTry(text), amount, text);
          assert.deepEqual(listReadings(text), [amount], text);
        }
      }),
    );
  });

  test('is explained with every reading, none of which is refused', () => {
    const any = () => true;
    assert.equal(explainAmount('1.500', any, '50TRY'), '"1.500" can be read as two amounts. Write 1500TRY or 1.50TRY.');
    assert.equal(
      explainAmount('0', (amount) => amount > 0, '50TRY'),
      '"0" is too small. Write an amount such as 50TRY.',
    );
    assert.equal(explainAmount('1,5', any, '50TRY'), '"1,5" is not an amount in TRY. Write 1.50TRY.');
    assert.equal(
      explainAmount('-1.500', (amount) => amount > 0, '50TRY'),
      '"-1.500" is below zero. Write an amount such as 50TRY.',
    );
    assert.equal(describeAmount('0.1234567 TRY'), 'has more than six decimals, which no amount has');
    for (const [text] of READINGS)
      for (const [, instead = ''] of explainAmount(text, any, '50TRY').matchAll(/([-\d.]+TRY)(?=[. ])/g))
        assert.notEqual(parseTry(instead), null, instead);
  });
});
