import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { micros } from '../../../contract/money.ts';
import { proposeAmounts } from './propose-amounts.ts';

const balance = (text: string, lira: number) => ({ text, expected: micros(lira * 1_000_000), from: 'the ledger' });

describe('how a service writes amounts', () => {
  for (const [what, texts, expected, format] of [
    ['another amount', ['1.500 TL', '12,50 TL'], [], 'decimal_comma'],
    ['another amount with thousands', ['1,500', '1,234.50'], [], 'decimal_point'],
    ['a difference of the balance', [], [balance('1.500 TL', 1500)], 'decimal_comma'],
    ['a small difference of the balance', [], [balance('1.500 TL', 1.5)], 'decimal_point'],
    ['the balance before another text', ['12.50'], [balance('1.500 TL', 1500)], 'decimal_comma'],
  ] as const) {
    test(`is decided by ${what}`, () => assert.equal(proposeAmounts(texts, expected)?.format, format));
  }

  for (const [what, texts, expected] of [
    ['nothing else', ['1.500 TL'], []],
    ['a balance that fits neither', ['1.500 TL'], [balance('1.500 TL', 7)]],
    ['amounts that contradict each other', ['1.500 TL', '12,50', '12.50'], []],
  ] as const) {
    test(`stays a question with ${what}`, () => {
      const found = proposeAmounts(texts, expected);
      assert.equal(found?.format, null);
      assert.match(found?.why ?? '', /"1\.500 TL" can be read as two amounts/);
    });
  }

  test('is no question where every amount is read in one way', () => {
    assert.equal(proposeAmounts(['12.50', '1.234,50 TL'], [balance('12.50', 12.5)]), null);
  });
});
