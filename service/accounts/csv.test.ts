import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toCsv } from './csv.ts';

describe('CSV', () => {
  for (const [value, cell] of [
    ['plain', 'plain'],
    ['İstanbul', 'İstanbul'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-12.50', '-12.50'],
    ['-1+2', "'-1+2"],
    [null, ''],
    [12, '12'],
  ] as const) {
    test(`${JSON.stringify(value)} is written as ${cell}`, () => {
      assert.equal(toCsv(['a'], [[value]]), `\uFEFFa\r\n${cell}\r\n`);
    });
  }
});
