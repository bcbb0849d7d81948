import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatVersion, getStart } from '../url/version.ts';
import { parseRfc822Date, parseW3cDate } from './lastmod.ts';

const w3c: readonly (readonly [string, string])[] = [
  ['1997', '1997'],
  ['1997-07', '1997-07'],
  ['1997-07-16', '1997-07-16'],
  ['1997-07-16T19:20+01:00', '1997-07-16T18:20Z'],
  ['1997-07-16T19:20Z', '1997-07-16T19:20Z'],
  ['1997-07-16T19:20:30+01:00', '1997-07-16T18:20:30Z'],
  ['1997-07-16T19:20:30.45-03:30', '1997-07-16T22:50:30.450Z'],
  ['2024-02-29', '2024-02-29'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00Z'],
  ['2026-11-21T00:00:00.123456789Z', '2026-11-21T00:00:00.123Z'],
  ['0001-01-01', '0001-01-01'],
];
describe('parseW3cDate reads', () => {
  for (const [text, iso] of w3c) {
    test(`${text} is ${iso}`, () => assert.equal(formatVersion(parseW3cDate(text)!), iso));
  }
});

const wrong = [
  '',
  'yesterday',
  '97',
  '2023-02-29',
  '1900-02-29',
  '2026-13-01',
  '2026-00-01',
  '2026-04-31',
  '2026-1-1',
  '02.01.2024',
  '2024/01/02',
  '2024-01-02 10:00',
  '2024-01-02T10:00',
  '2024-01-02T10:00:00',
  '2024-01-02T24:00:00Z',
  '2024-01-02T10:60:00Z',
  '2024-01-02T10:00:60Z',
  '2024-01-02T10:00:00+99:00',
  '2024-01-02T10:00:00+0300',
  '2024-01-02T10:00:00.Z',
  '2024-01-02T10:00:00Z ',
  '2024-01-02T10:00:00ZZ',
  '20240102',
];
describe('parseW3cDate refuses', () => {
  for (const text of wrong) test(`"${text}"`, () => assert.equal(parseW3cDate(text), null));
});

test('every date that JavaScript writes is read as the same moment', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      assert.equal(getStart(parseW3cDate(date.toISOString())!), date.getTime());
      assert.equal(
        getStart(parseW3cDate(date.toISOString().slice(0, 10))!),
        Date.parse(date.toISOString().slice(0, 10)),
      );
    }),
  );
});

const rfc822: readonly (readonly [string, string | null])[] = [
  ['Sat, 21 Nov 2026 09:00:00 GMT', '2026-11-21T09:00:00Z'],
  ['21 Nov 2026 09:00 +0300', '2026-11-21T06:00Z'],
  ['Sat, 1 Nov 98 09:00:00 EST', '1998-11-01T14:00:00Z'],
  ['Sat, 31 Feb 2026 09:00:00 GMT', null],
  ['2026-11-21', null],
];
describe('parseRfc822Date', () => {
  for (const [text, iso] of rfc822) {
    test(`${text} is ${iso ?? 'refused'}`, () => {
      const at = parseRfc822Date(text);
      assert.equal(at === null ? null : formatVersion(at), iso);
    });
  }
});
