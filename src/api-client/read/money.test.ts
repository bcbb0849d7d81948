import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reference } from '../../submission/ids.ts';

import { readAccount, readBalance } from './account.ts';
import { readCheck } from './check.ts';
import { InvalidPayload, type JsonObject } from './fields.ts';
import { createAnswerFormat } from './format.ts';
import { readAccepted, readDetail, readSubmissions } from './submission.ts';

const format = createAnswerFormat();
const requested = { page: 1, limit: 10 };

/** What each reader takes for money in a payload. */
const readers: Readonly<Record<string, (data: JsonObject) => readonly unknown[]>> = {
  acceptance: (data) => {
    const { charged, pricePerUrl, balance } = readAccepted({ reference: 'R', ...data }, format);
    return [charged, pricePerUrl, balance];
  },
  'acceptance with its job inside': (data) => {
    const { charged, pricePerUrl, balance } = readAccepted({ ...data, submission: { id: 'R' } }, format);
    return [charged, pricePerUrl, balance];
  },
  list: (data) => readJobs({ submissions: [{ reference: 'R', ...data }] }),
  'list with its currency around': ({ currency, ...data }) =>
    readJobs({ currency: currency!, submissions: [{ reference: 'R', ...data }] }),
  detail: (data) => {
    const read = readDetail({ submission: data }, null, requested, format, 'R' as Reference);
    assert.ok(!(read instanceof InvalidPayload));
    return [read.submission.charged, read.submission.pricePerUrl];
  },
  'index-check': (data) => readChecked({ ...data, results: [] }),
  'index-check inside': ({ currency, ...data }) => readChecked({ currency: currency!, check: data, results: [] }),
  account: (data) => {
    const read = readAccount({ ...data }, format);
    assert.ok(!(read instanceof InvalidPayload));
    return [read.balance, read.prices.standard, read.prices.fast];
  },
  'account with its money inside': ({ currency, balance, price_per_url }) => {
    const read = readAccount(
      { currency: currency!, wallet: { balance: balance! }, prices: { fast: price_per_url! } },
      format,
    );
    assert.ok(!(read instanceof InvalidPayload));
    return [read.balance, read.prices.fast];
  },
  balance: (data) => readMain({ ...data }),
  'balance inside': ({ currency, balance }) => readMain({ wallet: { currency: currency!, available: balance! } }),
};

function readJobs(data: JsonObject): readonly unknown[] {
  const read = readSubmissions(data, { data }, requested, format);
  assert.ok(!(read instanceof InvalidPayload));
  return read.submissions.flatMap(({ charged, pricePerUrl }) => [charged, pricePerUrl]);
}

function readChecked(data: JsonObject): readonly unknown[] {
  const read = readCheck(data, null, format);
  assert.ok(!(read instanceof InvalidPayload));
  return [read.charged, read.balance];
}

function readMain(data: JsonObject): readonly unknown[] {
  const read = readBalance(data, format);
  return [read instanceof InvalidPayload ? null : read.balance];
}

const AMOUNTS = { charged: 5, price_per_url: 0.25, balance: '12.50', balance_kurus: 1250 };

describe('the currency beside an amount', () => {
  for (const [name, read] of Object.entries(readers)) {
    test(`${name}: what is in another currency is not known`, () => {
      for (const currency of ['EUR', 'usd', '€', { code: 'EUR' }]) {
        const amounts = read({ ...AMOUNTS, currency });
        assert.deepEqual(new Set(amounts), new Set([null]), JSON.stringify(currency));
      }
    });

    test(`${name}: what is in lira, however it is written, is known`, () => {
      for (const currency of ['TRY', ' try ', 'TL', '₺', 'Turkish Lira', '949', 949, { code: 'TRY' }, null]) {
        const amounts = read({ ...AMOUNTS, currency });
        assert.ok(amounts.length > 0 && !amounts.includes(null), `${JSON.stringify(currency)}: ${amounts}`);
      }
    });
  }

  test('an amount that names its own currency is in that one', () => {
    const { charged, balance } = readAccepted(
      {
        ...{ reference: 'R', currency: 'EUR', charged: { amount: 5, currency: 'TRY' } },
        balance: { value: 7 },
      },
      format,
    );
    assert.deepEqual([charged, balance], [5_000_000, null]);
  });

  test('a balance in another currency is refused by its name, wherever that stands', () => {
    for (const data of [
      { balance: 5, currency: 'EUR' },
      { wallet: { balance: 5, currency: 'EUR' } },
      { currency: 'EUR', account: { balance: 5 } },
    ]) {
      const read = readBalance(data, format);
      assert.ok(read instanceof InvalidPayload);
      assert.equal(read.what, 'whose balance is in EUR, not in TRY');
    }
  });
});

describe('an amount that people read in two ways', () => {
  test('is not overruled by a less likely field, in the same place or in another one', () => {
    for (const data of [
      { balance: '1.000 TL', available: 3 },
      { balance: '1.000 TL', wallet: { balance: 3 } },
      { balance: { amount: '1,234' }, wallet: { balance: 3 } },
    ])
      assert.ok(readBalance(data, format) instanceof InvalidPayload, JSON.stringify(data));
    const check = readCheck({ charged: '1.000 TL', check: { charged: 3, results: [] } }, {}, format);
    assert.ok(!(check instanceof InvalidPayload));
    assert.equal(check.charged, null);
  });

  test('is read from elsewhere where the likelier field has no amount at all', () => {
    assert.deepEqual(readBalance({ balance: 'unknown', wallet: { balance: 3 } }, format), { balance: 3_000_000 });
  });
});
