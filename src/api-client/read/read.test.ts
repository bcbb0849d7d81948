import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Reference } from '../../submission/ids.ts';

import { readAccount, readBalance } from './account.ts';
import { readCheck } from './check.ts';
import { readError } from './errors.ts';
import { InvalidPayload, indexFields, type Json, type JsonObject } from './fields.ts';
import { createAnswerFormat } from './format.ts';
import { readList } from './list.ts';
import { asReference, readAccepted, readDetail, readSubmissions } from './submission.ts';
import { latestInstant } from './time.ts';

const requested = { page: 1, limit: 2 };
const format = createAnswerFormat();
const readMoney = (data: Json, names: readonly string[]) => format.money.readIn([indexFields(data)], names);

const amounts: [value: Json, micros: number | null][] = [
  [12.5, 12_500_000],
  [0.1 + 0.2, 300_000],
  [-5, -5_000_000],
  [0, 0],
  ['12.50', 12_500_000],
  ['12.50 TRY', 12_500_000],
  ['₺1,234.50', 1_234_500_000],
  ['1.234,50 TL', 1_234_500_000],
  ['12,50', 12_500_000],
  ['12,5 TL', 12_500_000],
  ['0,375 TL', 375_000],
  ['-₺3,50', -3_500_000],
  ['1 234,50 TL', 1_234_500_000],
  [{ amount: '0.25', currency: 'TRY' }, 250_000],
  [{ value: 3, currency_code: 'try' }, 3_000_000],
  [{ amount_kurus: 1250, currency: 'TRY' }, 12_500_000],
  [{ amountMinor: 1250 }, 12_500_000],
  [{ amount: 5, currency: 'USD' }, null],
  ['1,234', null],
  ['1.000 TL', null],
  ['₺12.500', null],
  ['12.500', 12_500_000],
  ['0.375 TRY', 375_000],
  [{ amount: '1.000 TL' }, null],
  [{ amount: '1.000 TL', total: 3 }, null],
  ['1.2345678', null],
  ['a lot', null],
  [1e300, null],
  [Number.MAX_SAFE_INTEGER, null],
  [null, null],
  [true, null],
  [[5], null],
];
describe('response readers', () => {
  for (const [value, micros] of amounts) {
    test(`${JSON.stringify(value)} is ${micros === null ? 'no amount of lira' : `${micros} micro-lira`}`, () => {
      assert.equal(readMoney({ amount: value }, ['amount']), micros);
    });
  }

  test('does not read an amount in kuruş as lira', () => {
    assert.equal(readMoney({ balance_kurus: 150 }, ['balance']), 1_500_000);
    assert.equal(readMoney({ charged: true, cost: 1.5 }, ['charged', 'cost']), 1_500_000);
    const doubtful = { charged: '1.000 TRY', amount: 4 };
    assert.equal(readMoney(doubtful, ['charged', 'amount']), null, 'the likelier one says something else');
  });

  test('reads a negative balance as it is and rejects one in another currency', () => {
    assert.deepEqual(readBalance({ balance: '-3.50' }, format), { balance: -3_500_000 });
    assert.ok(readBalance({ balance: 5, currency: 'EUR' }, format) instanceof InvalidPayload);
    assert.ok(readBalance({ balance: null }, format) instanceof InvalidPayload);
    assert.deepEqual(readAccount({ wallet: { balance: 5 }, pricing: { price_per_url: '0.25' } }, format), {
      balance: 5_000_000,
      identity: null,
      prices: { standard: 250_000, fast: 250_000 },
    });
  });

  for (const [value, reference] of [
    ['SUB-1', 'SUB-1'],
    [12345, '12345'],
    ['job/1', 'job/1'],
    [' x ', 'x'],
    ['', null],
    ['..', null],
    ['İş 7/2026 #1', 'İş 7/2026 #1'],
    ['8f14e45f-ceea-467f-a9c3-2d6a1a1d3c1b', '8f14e45f-ceea-467f-a9c3-2d6a1a1d3c1b'],
    ['a\nb', null],
    ['a\u202eb', null],
    ['\ud800', null],
    ['x'.repeat(501), null],
    [1e21, null],
    [{}, null],
    [true, null],
  ] as const) {
    test(`${JSON.stringify(value).slice(0, 30)} is ${reference === null ? 'no reference' : 'a reference'}`, () => {
      assert.equal(asReference(value), reference);
    });
  }

  test('finds a list under every usual name, one level deep, as a map and as the only list', () => {
    const entries = [{ reference: 'a' }, { reference: 'b' }];
    const shapes: Json[] = [
      entries,
      { submissions: entries },
      { items: entries },
      { data: entries },
      { results: entries, links: ['x'] },
      { submissions: { data: entries } },
      { submission_history: entries },
      { submissions: { 3: entries[0]!, 7: entries[1]! } },
      { jobs: { a: { state: 'queued' }, b: { state: 'queued' } } },
      { list: { edges: [{ node: entries[0]! }, { node: entries[1]! }] } },
    ];
    for (const shape of shapes) {
      const read = readSubmissions(shape, { data: shape }, requested, format);
      assert.ok(!(read instanceof InvalidPayload), JSON.stringify(shape));
      assert.deepEqual(
        read.submissions.map(({ reference }) => reference),
        ['a', 'b'],
      );
    }
    assert.equal(
      readList({ urls: { 'https://a.example/': 'done' } }, null, 'urls', requested, format)?.items.length,
      1,
    );
  });

  test('distinguishes a missing list from an empty one, and rejects a list with an unreadable job', () => {
    const read = (data: Json) => readSubmissions(data, { data }, requested, format);
    assert.ok(read({}) instanceof InvalidPayload);
    assert.ok(read({ submissions: null }) instanceof InvalidPayload);
    assert.ok(read({ submissions: [{ reference: 'a' }, { state: 'queued' }] }) instanceof InvalidPayload);
    for (const nothing of [{ submissions: [] }, { submissions: null, total: 0 }, { items: {}, meta: { total: '0' } }]) {
      const empty = read(nothing);
      assert.ok(!(empty instanceof InvalidPayload) && empty.submissions.length === 0, JSON.stringify(nothing));
    }
    assert.ok(read({ submissions: null, total: 3 }) instanceof InvalidPayload);
  });

  const job = { reference: 'SUB-1', status: 'queued' };
  for (const [what, data, page] of [
    [
      'HAL, as Spring writes it',
      {
        _embedded: { orders: [job] },
        _links: { self: { href: '/x' }, next: { href: '/x?page=2' } },
        page: { size: 1, totalElements: 3, totalPages: 3, number: 0 },
      },
      { last: false, stated: true, total: 3 },
    ],
    [
      'HAL without totals',
      { _embedded: { jobz: [job] }, _links: { next: { href: '/x' } } },
      { last: false, stated: true },
    ],
    [
      'a page of Spring',
      { content: [job], totalElements: 1, totalPages: 1, last: true, pageable: { sort: [] } },
      { last: true },
    ],
    [
      'JSON:API',
      [{ type: 'job', id: '7', attributes: { reference: 'SUB-1', status: 'queued' } }],
      { last: true, stated: false },
    ],
    ['a list within an envelope of its own', { payload: { auftraege: [job] } }, { last: true }],
    ['a cursor', { orders: [job], next_cursor: 'abc' }, { last: false, stated: true }],
    [
      'the last cursor',
      { orders: [job, { ...job, reference: 'SUB-2' }], next_cursor: null },
      { last: true, stated: true },
    ],
  ] as [string, Json, object][]) {
    test(`reads a list of jobs in the shape of ${what}`, () => {
      const read = readSubmissions(data, { success: true, data }, requested, format);
      assert.ok(!(read instanceof InvalidPayload), JSON.stringify(read));
      assert.equal(read.submissions[0]?.reference, 'SUB-1');
      assert.equal(read.submissions[0]?.state, 'queued');
      assert.partialDeepStrictEqual(read.page, page);
    });
  }

  test('takes the only list for an empty list of jobs, and no list that may be something else', () => {
    const read = (data: Json) => readSubmissions(data, { success: true, data }, requested, format);
    assert.partialDeepStrictEqual(read({ requests: [] }), { submissions: [] });
    assert.partialDeepStrictEqual(read({ auftraege: [], page: { number: 0 }, warnings: [] }), { submissions: [] });
    for (const data of [
      { warnings: [] },
      { auftraege: [], others: [] },
      { auftraege: [], jobs_by_day: { monday: 'SUB-1' } },
      { numbers: [1, 2], auftraege: [] },
      { _links: { self: { href: '/x' } } },
    ] as Json[])
      assert.ok(read(data) instanceof InvalidPayload, JSON.stringify(data));
  });

  test('says which fields a payload without a list has', () => {
    const read = readSubmissions({ pending: 3, _links: {} }, {}, requested, format);
    assert.equal((read as InvalidPayload).what, 'without a list of submissions (it has pending, _links)');
  });

  test('reads what a job groups into objects of its own, and what was asked before what is left of it', () => {
    const job = {
      reference: 'SUB-1',
      status: 'partial',
      timestamps: { createdAt: '2026-01-15T12:00:00Z', finishedAt: '2026-01-15T13:00:00Z' },
      cost: { currency: 'TRY', per_page: '0.2500', charge: '15.0000', refund: '0.5000', total: '14.5000' },
      pages: { total: 60, waiting: 0, failed: 2 },
    };
    const read = readSubmissions({ submissions: [job] }, {}, requested, format);
    assert.ok(!(read instanceof InvalidPayload));
    const [{ createdAt, charged, pricePerUrl, urlCount, failed } = {} as never] = read.submissions;
    assert.deepEqual(
      [createdAt, charged, pricePerUrl, urlCount, failed],
      [Date.UTC(2026, 0, 15, 12), 15_000_000, 250_000, 60, 2],
    );
    assert.equal(
      readAccepted({ reference: 'A', price: { each: '0.1250', total: '7.5000' } }, format).charged,
      7_500_000,
    );
    const shown = readAccount({ wallet: { currency: 'TRY', price_per_url: { standard: 0.35, fast: 0.8 } } }, format);
    assert.deepEqual(shown instanceof InvalidPayload ? null : shown.prices, { standard: 350_000, fast: 800_000 });
  });

  test('reads a balance in the units of its exponent', () => {
    assert.deepEqual(readBalance({ balance: 100_000, currency: 'TRY', exponent: 2 }, format), {
      balance: 1_000_000_000,
    });
  });

  test('reads every amount of an object in the units of its exponent', () => {
    const shown = readAccount({ wallet_balance: 1, wallet_exponent: 2, price_per_url: 120 }, format);
    assert.equal(shown instanceof InvalidPayload ? null : shown.prices.fast, 1_200_000);
  });

  test('reads URLs as rows with their columns, and inside a target', () => {
    const read = (url_states: Json, more: object = {}) => {
      const detail = readDetail(
        { status: 'partial', url_states, ...more } as Json,
        {},
        requested,
        format,
        'R' as Reference,
      );
      return detail instanceof InvalidPayload ? [] : detail.urls.map(({ url, state }) => [url, state]);
    };
    const wanted = [
      ['https://a.example/', 'completed'],
      ['https://b.example/', 'failed'],
    ];
    const rows = wanted.map(([url], n) => [n, url ?? '', n === 0 ? 'done' : 'error']);
    assert.deepEqual(read(rows, { url_states_columns: ['n', 'url', 'state'] }), wanted);
    const targets = wanted.map(([url = ''], n) => ({ target: { url }, state: n === 0 ? 'DELIVERED' : 'FAILED' }));
    assert.deepEqual(read({ content: targets, pageable: { page: 1, size: 100 } }), wanted);
  });

  test('reads verdicts as a map, under findings, and as groups of addresses', () => {
    const read = (data: Json) => {
      const check = readCheck(data, {}, format);
      return check instanceof InvalidPayload ? [] : check.results.map(({ url, verdict }) => [url, verdict]);
    };
    const [a, b] = ['https://a.example/', 'https://b.example/'];
    const wanted = [
      [a, 'found'],
      [b, 'not-found'],
    ];
    assert.deepEqual(read({ check_id: 'C1', found: { [a]: 1, [b]: 0 }, found_count: 1 }), wanted);
    assert.deepEqual(
      read({
        findings: [
          { url: a, finding: 'FOUND' },
          { url: b, finding: 'NOT_FOUND' },
        ],
      }),
      wanted,
    );
    assert.deepEqual(read({ check_id: 'C1', hits: [a], misses: [b] }), wanted);
  });

  test('an address that was unescaped keeps the space at its end', () => {
    const read = (url: string) => {
      const detail = readDetail({ urls: [{ url }] }, {}, requested, format, 'SUB-1' as Reference);
      return detail instanceof InvalidPayload ? null : detail.urls[0]?.url;
    };
    assert.equal(read('https://a.example/?q= '), 'https://a.example/?q=%20');
    assert.equal(read('https://a.example/?q=\n'), 'https://a.example/?q=');
  });

  test('reads the fields of a job and of its URLs from the attributes of JSON:API', () => {
    const data = {
      type: 'submission',
      id: '7',
      attributes: {
        reference: 'SUB-1',
        status: 'partial',
        urls: [
          { type: 'url', id: '1', attributes: { url: 'https://a.example/', status: 'completed' } },
          { type: 'url', id: '2', attributes: { url: 'https://b.example/', status: 'failed' } },
        ],
      },
    };
    const detail = readDetail(data, {}, requested, format, 'SUB-1' as Reference);
    assert.ok(!(detail instanceof InvalidPayload), JSON.stringify(detail));
    assert.equal(detail.submission.state, 'partial');
    assert.deepEqual(
      detail.urls.map(({ state }) => state),
      ['completed', 'failed'],
    );
    assert.equal(readAccepted(data, format).reference, 'SUB-1');
  });

  test('reads URLs that are named by a target, and URLs that are grouped by their state', () => {
    const read = (urls: Json) => {
      const detail = readDetail(
        { reference: 'SUB-1', status: 'partial', urls },
        {},
        requested,
        format,
        'SUB-1' as Reference,
      );
      assert.ok(!(detail instanceof InvalidPayload), JSON.stringify(detail));
      return detail.urls.map(({ url, state }) => [url, state]);
    };
    const wanted = [
      ['https://a.example/', 'completed'],
      ['https://b.example/', 'failed'],
    ];
    assert.deepEqual(
      read([
        { target: 'https://a.example/', status: 'done' },
        { target: 'https://b.example/', status: 'failed' },
      ]),
      wanted,
    );
    assert.deepEqual(read({ done: ['https://a.example/'], failed: ['https://b.example/'], pending: [] }), wanted);
    assert.deepEqual(
      read({ done: ['https://a.example/'], failed: [{ url: 'https://b.example/', reason: 'x' }] }),
      wanted,
    );
  });

  test('takes an empty map for a page without jobs where the service states that it is a page', () => {
    const read = (data: Json) => readSubmissions(data, { data }, requested, format);
    const filtered = read({ submissions: {}, pagination: { current: 1, pageSize: 2, total: 3 } });
    assert.ok(!(filtered instanceof InvalidPayload), 'a service that filters its pages after it has cut them');
    assert.deepEqual([filtered.submissions.length, filtered.page.last], [0, false]);
    assert.ok(read({ submissions: {} }) instanceof InvalidPayload, 'nothing says that it is a list');
    assert.ok(read({ pagination: { total: 3 } }) instanceof InvalidPayload, 'no list at all');
  });

  const full: Json = { items: [{ reference: 'a' }, { reference: 'b' }] };
  const pages: { fields: Record<string, Json>; last: boolean; stated: boolean }[] = [
    { fields: { total: 2 }, last: true, stated: true },
    { fields: { total: 3 }, last: false, stated: true },
    { fields: { pagination: { total_pages: 1 } }, last: true, stated: true },
    { fields: { meta: { last_page: '2', current_page: 1 } }, last: false, stated: true },
    { fields: { has_more: false }, last: true, stated: true },
    { fields: { pageInfo: { hasNextPage: true } }, last: false, stated: true },
    { fields: { next_page: null }, last: true, stated: true },
    { fields: { links: { next: '/submissions?page=2' } }, last: false, stated: true },
    { fields: { limit: 5 }, last: true, stated: false },
    { fields: {}, last: false, stated: false },
  ];
  for (const { fields, last, stated } of pages) {
    test(`a full page with ${JSON.stringify(fields)} is ${last ? '' : 'not '}the last`, () => {
      const beside = readList({ ...(full as object), ...fields }, null, 'jobs', requested, format);
      const around = readList(full, { data: full, ...fields }, 'jobs', requested, format);
      for (const read of [beside, around]) assert.deepEqual([read?.page.last, read?.page.stated], [last, stated]);
    });
  }

  test('rejects a detail that names another job; one without a name is the requested job', () => {
    const read = (data: Json) => readDetail(data, { data }, requested, format, 'SUB-1' as Reference);
    const other = read({ reference: 'SUB-2', status: 'completed' });
    assert.ok(other instanceof InvalidPayload && other.what === 'about SUB-2 instead of SUB-1');
    const same = read({ status: 'Completed' });
    assert.ok(!(same instanceof InvalidPayload));
    assert.deepEqual([same.submission.reference, same.submission.state, same.urls], ['SUB-1', 'completed', []]);
  });

  test('reads the verdict from another field when the status only says that the check is done', () => {
    const read = readCheck(
      { results: [{ url: 'https://a.example/', status: 'completed', result: 'not_found' }] },
      null,
      format,
    );
    assert.ok(!(read instanceof InvalidPayload));
    assert.deepEqual(
      read.results.map(({ verdict }) => verdict),
      ['not-found'],
    );
  });

  test('finds the results and the charge of an index-check in the usual places', () => {
    const results = [{ url: 'https://a.example/', result: 'found' }];
    for (const data of [
      { check: { items: results, charged: 0.5 } },
      { check: { id: 'C-1', cost: 0.5 }, items: results },
      { report: { results }, charged: 0.5 },
      { urls: ['https://a.example/'], check: { results, charged: 0.5 } },
      { urls: [{ url: 'https://a.example/' }], result: { entries: results, total_cost: 0.5 } },
    ]) {
      const read = readCheck(data, null, format);
      assert.ok(!(read instanceof InvalidPayload));
      assert.deepEqual(
        [read.results.map(({ verdict }) => verdict), read.charged],
        [['found'], 500_000],
        JSON.stringify(data),
      );
    }
  });

  test('names the currency of an acceptance that is not the lira, and keeps a mere price apart', () => {
    const read = (data: JsonObject) => {
      const { charged, pricePerUrl, price, otherCurrency } = readAccepted({ reference: 'R', ...data }, format);
      return { charged, pricePerUrl, price, otherCurrency };
    };
    const nothing = { charged: null, pricePerUrl: null, price: null, otherCurrency: null };
    assert.deepEqual(read({ charged: 5, currency: 'EUR' }), { ...nothing, otherCurrency: 'EUR' });
    assert.deepEqual(read({ cost: { amount: 5, currency: 'EUR' } }), { ...nothing, otherCurrency: 'EUR' });
    assert.deepEqual(read({ charged: { amount: 5, currency: 'TRY' }, currency: 'EUR' }).otherCurrency, null);
    assert.deepEqual(read({ price: 5 }), { ...nothing, price: 5_000_000 });
    assert.deepEqual(read({ price_per_url: 5 }), { ...nothing, pricePerUrl: 5_000_000 });
  });

  test('reads what stands beside a job as well, where the job does not say it', () => {
    const entry = {
      ...{ opened: '2026-01-15T12:00:00Z', project: 'Shop', charged: 0.75, url_count: 3, service: 'fast' },
      job: { reference: 'R', status: 'completed', started: '2026-01-15T13:00:00Z', url_count: 4 },
    };
    const page = readSubmissions({ submissions: [entry] }, null, requested, format);
    assert.ok(!(page instanceof InvalidPayload));
    const { createdAt, project, charged, urlCount, service } = page.submissions[0]!;
    assert.deepEqual(
      { createdAt, project, charged, urlCount, service },
      { createdAt: Date.UTC(2026, 0, 15, 12), project: 'Shop', charged: 750_000, urlCount: 4, service: 'fast' },
    );
  });

  test('takes no mere "price" beside a job in a list for that of a URL', () => {
    const pricePerUrl = (job: JsonObject) => {
      const page = readSubmissions({ submissions: [{ reference: 'R', ...job }] }, null, requested, format);
      assert.ok(!(page instanceof InvalidPayload));
      return page.submissions[0]?.pricePerUrl;
    };
    assert.deepEqual([pricePerUrl({ unit_price: 0.25 }), pricePerUrl({ price: 0.75 })], [250_000, null]);
  });

  test('dates a job from its creation, under any field name', () => {
    const createdAt = (job: JsonObject) =>
      readSubmissions({ submissions: [{ reference: 'R', ...job }] }, null, requested, format);
    for (const job of [
      { opened: '2026-01-15T12:00:00Z' },
      { received_at: '2026-01-15T12:00:00Z', updated_at: '2026-01-14T12:00:00Z' },
      { filed: '2026-01-15T12:00:00Z', closed: '2026-01-10T12:00:00Z', processed: '2026-01-15T13:00:00Z' },
    ]) {
      const page = createdAt(job);
      assert.ok(!(page instanceof InvalidPayload));
      assert.equal(page.submissions[0]?.createdAt, Date.UTC(2026, 0, 15, 12), JSON.stringify(job));
    }
  });

  test('does not quarantine a good URL by a position, which may count from 1', () => {
    const { named } = readError({ error: { details: [{ position: 1, message: 'bad' }] } });
    assert.deepEqual(named, []);
  });

  const complaints: { what: string; error: Json; named: [string | null, number | null][]; fields?: string[] }[] = [
    { what: 'URLs', error: { invalid_urls: ['https://a.example/'] }, named: [['https://a.example/', null]] },
    {
      what: 'objects with URLs',
      error: { details: [{ url: 'ftp://a.example/', reason: 'x' }] },
      named: [['ftp://a.example/', null]],
    },
    { what: 'places', error: { errors: [{ index: 3, message: 'x' }] }, named: [[null, 3]] },
    { what: 'paths', error: { violations: [{ path: ['body', 'urls', 3], msg: 'x' }] }, named: [[null, 3]] },
    { what: 'pointers', error: { details: [{ pointer: '/urls/3', detail: 'x' }] }, named: [[null, 3]] },
    {
      what: 'fields',
      error: { fields: { 'urls.0': ['x'], 'urls[2]': ['x'] } },
      named: [
        [null, 0],
        [null, 2],
      ],
    },
    { what: 'the project', error: { fields: { project: ['too long'] } }, named: [], fields: ['project'] },
    { what: 'nothing', error: { code: 'X', message: 'urls[3] is bad' }, named: [] },
  ];
  for (const { what, error, named, fields = [] } of complaints) {
    test(`reads an error that names ${what}`, () => {
      const read = readError({ success: false, error: error as Json });
      assert.deepEqual(
        read.named.map(({ url, index }) => [url, index]),
        named,
      );
      assert.deepEqual(read.fields, fields);
    });
  }

  test('reads an incomplete time as the latest instant that it can mean', () => {
    const noon = Date.parse('2026-11-21T12:00:00Z');
    assert.equal(latestInstant('2026-11-21T12:00:00Z'), noon);
    assert.equal(latestInstant('2026-11-21T15:00:00+03:00'), noon);
    assert.equal(latestInstant(noon), noon);
    assert.equal(latestInstant(noon / 1000), noon);
    assert.ok(latestInstant('2026-11-21 12:00:00')! > noon + 11 * 3_600_000);
    assert.ok(latestInstant('2026-11-21')! > noon + 23 * 3_600_000);
    assert.equal(latestInstant('yesterday'), null);
    assert.equal(latestInstant(7), null);
  });

  test('no JSON makes a reader throw or return what it does not contain', () => {
    const names = fc.constantFrom(
      ...[
        'reference',
        'status',
        'submission',
        'urls',
        'items',
        'data',
        'url',
        'balance',
        'charged',
        'total',
        'next',
        'error',
      ],
      ...[
        'details',
        'index',
        'amount',
        'currency',
        'meta',
        'created_at',
        '__proto__',
        'constructor',
        'toString',
        'length',
      ],
    );
    const { json } = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<Json>(
          null,
          true,
          false,
          0,
          -1,
          1.5,
          1e308,
          '',
          'x',
          'https://a.example/',
          'SUB-1',
          '2026-11-21',
        ),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(names, tie('json'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(json, json, (data, envelope) => {
        const { reference } = readAccepted(data, format);
        assert.ok(reference === null || JSON.stringify(data).includes(reference));
        readSubmissions(data, envelope, requested, format);
        const detail = readDetail(data, envelope, requested, format, 'SUB-9' as Reference);
        assert.ok(detail instanceof InvalidPayload || detail.submission.reference === 'SUB-9');
        readCheck(data, envelope, format);
        readBalance(data, format);
        readAccount(data, format);
        assert.equal(typeof readError(envelope).message, 'string');
      }),
      { numRuns: Number(process.env.COURIER_TEST_READER_RUNS ?? 3_000) },
    );
  });
});
