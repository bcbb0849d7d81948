import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reference } from '../../submission/ids.ts';
import { readAccount, readBalance } from './account.ts';
import { readCheck } from './check.ts';
import { InvalidPayload, type Json } from './fields.ts';
import { createAnswerFormat } from './format.ts';
import { readAccepted, readDetail, readSubmissions } from './submission.ts';

const requested = { page: 1, limit: 10 };

/** A service whose names are in no list. */
const BALANCE = { konto: { guthaben: '5.50' } };
const JOBS = { von: 'x', auftraege: [{ nummer: 'A-1', lage: 'completed', gebuehr_kurus: 50 }], sonstiges: [{ a: 1 }] };
const JOB = {
  lage: 'partial',
  seiten: [{ seite: 'https://a.example/', lage: 'failed', grund: 'gone' }],
  andere: [{ a: 1 }],
};
const CHECK = { ergebnisse: [{ seite: 'https://a.example/', treffer: true }], andere: [{ a: 1 }], gebuehr: 0.5 };

const named = createAnswerFormat({
  fieldNames: {
    ...{
      balance: ['konto.Guthaben'],
      jobs: ['Auftraege'],
      reference: ['nummer'],
      state: ['lage'],
      charge: ['gebuehr'],
    },
    ...{
      urls: ['seiten'],
      url: ['seite'],
      url_state: ['lage'],
      reason: ['grund'],
      results: ['ergebnisse'],
      found: ['treffer'],
    },
  },
});
const unnamed = createAnswerFormat();

describe('names that the setting field_names has', () => {
  test('are read where the usual ones are missing, a path among them', () => {
    assert.ok(readBalance(BALANCE, unnamed) instanceof InvalidPayload);
    assert.deepEqual(readBalance(BALANCE, named), { balance: 5_500_000 });
    assert.ok(readSubmissions(JOBS, {}, requested, unnamed) instanceof InvalidPayload);
    assert.partialDeepStrictEqual(readSubmissions(JOBS, {}, requested, named), {
      submissions: [{ reference: 'A-1', state: 'completed', charged: 500_000 }],
    });
    assert.partialDeepStrictEqual(readDetail(JOB, {}, requested, named, 'A-1' as Reference), {
      submission: { state: 'partial' },
      urls: [{ url: 'https://a.example/', state: 'failed', reason: 'gone' }],
      unread: [],
    });
    assert.partialDeepStrictEqual(readCheck(CHECK, {}, named), { results: [{ verdict: 'found' }], charged: 500_000 });
  });

  test('come before the usual ones, and those are still read', () => {
    const both = { nummer: 'A-1', reference: 'trace-7', status: 'queued', lage: 'completed' };
    assert.partialDeepStrictEqual(readAccepted(both, named), { reference: 'A-1', state: 'completed' });
    assert.partialDeepStrictEqual(readAccepted({ reference: 'R' }, named), { reference: 'R' });
  });

  test('keep the unit that a name ends in', () => {
    const minor = createAnswerFormat({ fieldNames: { balance: ['rest_kurus'], charge: ['kosten.betrag_minor'] } });
    assert.deepEqual(readBalance({ rest_kurus: 550 }, minor), { balance: 5_500_000 });
    assert.equal(readAccepted({ reference: 'R', kosten: { betrag_minor: 25 } }, minor).charged, 250_000);
  });
});

describe('the setting amounts', () => {
  const point = createAnswerFormat({ amounts: 'decimal_point' });
  const comma = createAnswerFormat({ amounts: 'decimal_comma' });
  for (const [text, withPoint, withComma] of [
    ['1.000 TL', 1_000_000, 1_000_000_000],
    ['₺12.500', 12_500_000, 12_500_000_000],
    ['1,234', 1_234_000_000, 1_234_000],
    ['-1,234 TRY', -1_234_000_000, -1_234_000],
    ['12.345', 12_345_000, 12_345_000_000],
  ] as const) {
    test(`decides what "${text}" is`, () => {
      assert.deepEqual(readBalance({ balance: text }, point), { balance: withPoint });
      assert.deepEqual(readBalance({ balance: text }, comma), { balance: withComma });
      assert.equal(readAccepted({ reference: 'R', charged: { amount: text } }, comma).charged, withComma);
    });
  }

  test('changes no amount that is read in one way, and no number', () => {
    for (const value of ['12.50', '1.234,50 TL', '₺1,234.50', '12,50', 1.5, 1.234, '0.375 TRY', '1000'] as Json[]) {
      const [first, ...others] = [unnamed, point, comma].map((format) => readBalance({ balance: value }, format));
      assert.ok(!(first instanceof InvalidPayload), String(value));
      for (const other of others) assert.deepEqual(other, first, String(value));
    }
  });

  test('is named with both readings where it is missing', () => {
    const read = readBalance({ balance: '1.500 TL' }, unnamed);
    assert.ok(read instanceof InvalidPayload);
    assert.equal(
      read.what,
      'whose balance "1.500 TL" can be read as 1.50 TRY (decimal_point) or 1500.00 TRY (decimal_comma); ' +
        'set amounts of the account to the right one',
    );
    assert.equal(readAccount({ balance: '1.500 TL' }, unnamed) instanceof InvalidPayload, false);
    const accepted = readAccepted({ reference: 'R', charged: '1.500 TL' }, unnamed);
    assert.deepEqual([accepted.charged, accepted.doubtfulAmount], [null, '1.500 TL']);
    assert.equal(readAccepted({ reference: 'R', charged: '1.500 TL' }, comma).doubtfulAmount, null);
  });
});
