import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFormats } from './formats.ts';
import { CATALOGUES, type MessageKey } from './messages.ts';

const keys = Object.keys(CATALOGUES.en) as MessageKey[];
const listPlaces = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

describe('the message catalogues', () => {
  test('have the same keys, each with the same places to fill in', () => {
    assert.deepEqual(Object.keys(CATALOGUES.tr).sort(), keys.toSorted());
    for (const key of keys) assert.deepEqual(listPlaces(CATALOGUES.tr[key]), listPlaces(CATALOGUES.en[key]), key);
  });

  test('the Turkish texts are translated', () => {
    const same = keys.filter((key) => CATALOGUES.en[key] === CATALOGUES.tr[key]);
    assert.deepEqual(same, ['money_axis']);
  });
});

describe('formats', () => {
  const en = createFormats('en');
  const tr = createFormats('tr');

  test('numbers, money, days and times are those of the language', () => {
    const at = Date.UTC(2026, 7, 5, 14, 30);
    assert.deepEqual([en.count(1_234_567), tr.count(1_234_567)], ['1,234,567', '1.234.567']);
    assert.deepEqual([en.money(1_234_500_000), tr.money(1_234_500_000)], ['1,234.50 TRY', '1.234,50 TRY']);
    assert.deepEqual([en.money(12_500), tr.money(12_500)], ['0.0125 TRY', '0,0125 TRY']);
    assert.deepEqual([en.percent(0.72), tr.percent(0.72)], ['72%', '%72']);
    assert.deepEqual([en.day(at), tr.day(at)], ['5 Aug 2026', '5 Ağu 2026']);
    assert.deepEqual([en.instant(at), tr.instant(at)], ['5 Aug 2026, 14:30 UTC', '5 Ağu 2026 14:30 UTC']);
    assert.deepEqual([en.duration(90 * 60_000), tr.duration(90 * 60_000)], ['1.5 h', '1,5 sa']);
    assert.deepEqual([en.duration(59_000), en.duration(3 * 86_400_000)], ['1 min', '3 d']);
  });

  test('a share is 0% or 100% only when it is exactly that', () => {
    assert.deepEqual([0, 0.000_01, 0.004, 0.999_99, 1].map(en.percent), ['0%', '0.1%', '0.4%', '99.9%', '100%']);
  });
});
