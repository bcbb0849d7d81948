import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Micros, micros } from '../../../contract/money.ts';
import { columnDecimals, getFormat } from './format.ts';
import { monthRange, toDay, toMonth } from './zones.ts';

describe('amounts', () => {
  for (const [amount, en, tr] of [
    [0, '0.00 TRY', '0,00 TRY'],
    [1_234_567_500_000, '1,234,567.50 TRY', '1.234.567,50 TRY'],
    [-62_500_000, '−62.50 TRY', '−62,50 TRY'],
    [1, '0.000001 TRY', '0,000001 TRY'],
  ] as const) {
    test(`${amount} micro-lira is ${en} and ${tr}`, () => {
      assert.equal(getFormat('en', 'UTC').money(micros(amount)), en);
      assert.equal(getFormat('tr', 'UTC').money(micros(amount)), tr);
    });
  }

  test('a column has as many decimals as its finest amount', () => {
    const column = [1_000_000, 12_500, 250_000] as Micros[];
    assert.equal(columnDecimals(column), 4);
    assert.equal(getFormat('en', 'UTC').money(column[0]!, 4), '1.0000 TRY');
    assert.equal(columnDecimals([]), 2);
  });
});

describe('local time', () => {
  test('times are shown in the chosen zone and language, with the moment in UTC beside them', () => {
    const at = Date.parse('2026-11-30T22:30:00Z');
    assert.equal(
      getFormat('tr', 'Europe/Istanbul').time(at).text,
      '<time datetime="2026-11-30T22:30:00.000Z">1 Ara 2026 01:30</time>',
    );
    assert.match(getFormat('en', 'UTC').time(at).text, />30 Nov 2026, 22:30</);
  });

  test('a month begins and ends at local midnight, also where the clock changes within it', () => {
    assert.deepEqual(monthRange('Europe/Istanbul', '2026-12'), {
      from: Date.parse('2026-11-30T21:00:00Z'),
      to: Date.parse('2026-12-31T21:00:00Z'),
    });
    assert.deepEqual(monthRange('Europe/Berlin', '2026-03'), {
      from: Date.parse('2026-02-28T23:00:00Z'),
      to: Date.parse('2026-03-31T22:00:00Z'),
    });
  });

  test('the day and the month of a moment are the local ones', () => {
    const at = Date.parse('2026-11-30T22:30:00Z');
    assert.equal(toDay('UTC', at), '2026-11-30');
    assert.equal(toDay('Europe/Istanbul', at), '2026-12-01');
    assert.equal(toMonth('Europe/Istanbul', at), '2026-12');
  });
});
