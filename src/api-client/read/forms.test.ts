import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ANSWER_FIELD_KEYS,
  ANSWER_FIELDS,
  type AnswerFieldKey,
  FORMS,
  type Form,
} from '../../submission/answer-fields.ts';
import type { Reference } from '../../submission/ids.ts';
import { readAccount, readBalance } from './account.ts';
import { readCheck } from './check.ts';
import { InvalidPayload, type Json, normalizeName } from './fields.ts';
import { createAnswerFormat } from './format.ts';
import { readList } from './list.ts';
import { readAccepted, readDetail, readSubmissions } from './submission.ts';

const format = createAnswerFormat();
const requested = { page: 1, limit: 2 };

const readable = <Read>(read: Read | InvalidPayload): Read =>
  read instanceof InvalidPayload ? assert.fail(read.what) : read;

const readJob = (job: object) =>
  readable(readSubmissions({ submissions: [{ reference: 'R', ...job }] } as Json, null, requested, format))
    .submissions[0];
const readUrl = (url: object) =>
  readable(readDetail({ urls: [{ url: 'u', ...url }] } as Json, null, requested, format, 'R' as Reference)).urls[0];
const readResult = (result: object) => readable(readCheck({ results: [result] } as Json, null, format)).results[0];
const readPage = (info: object) =>
  readList({ items: [{ id: 1 }], ...info } as Json, null, 'jobs', requested, format)?.page;
const isReadIn = (data: Json) => readable(readSubmissions(data, null, requested, format)).submissions[0]?.reference;

/** Reads a value that stands under a name, alone; what none of them returns is read nowhere. */
const READERS: Readonly<Record<AnswerFieldKey, (name: string, value: Json) => unknown>> = {
  job: (name, value) => readAccepted({ reference: 'R', [name]: value }, format).state,
  wallet: (name) => readable(readBalance({ [name]: { balance: 1 } }, format)).balance,
  prices: (name) => readable(readAccount({ [name]: { standard: 0.25 } }, format)).prices.standard,
  counts: (name) => readJob({ [name]: { completed: 2 } })?.completed,
  money: (name) => readJob({ [name]: { charged: 15, refund: 1, total: 14 } })?.charged,
  times: (name) => readJob({ [name]: { created: '2026-01-15T12:00:00Z', ended: '2026-01-15T13:00:00Z' } })?.createdAt,
  check: (name) => readable(readCheck({ [name]: { charged: 1 } }, null, format)).charged,
  page_info: (name) => readPage({ [name]: { total: 9 } })?.total,
  jobs: (name, value) => isReadIn({ [name]: value }),
  urls: (name) =>
    readable(readDetail({ [name]: ['https://a.example/'] }, null, requested, format, 'R' as Reference)).urls[0]?.url,
  results: (name) => readable(readCheck({ [name]: [{ found: true }] }, null, format)).results[0]?.verdict,
  balance: (name, value) => readable(readBalance({ [name]: value }, format)).balance,
  charge: (name, value) => readAccepted({ reference: 'R', [name]: value }, format).charged,
  price: (name, value) => readJob({ [name]: value })?.pricePerUrl,
  reference: (name, value) => readAccepted({ [name]: value }, format).reference,
  state: (name, value) => readJob({ [name]: value })?.state,
  project: (name, value) => readJob({ [name]: value })?.project,
  created: (name, value) => readJob({ [name]: value })?.createdAt,
  service: (name, value) => readJob({ [name]: value })?.service,
  url_count: (name, value) => readJob({ [name]: value })?.urlCount,
  completed: (name, value) => readJob({ [name]: value })?.completed,
  failed: (name, value) => readJob({ [name]: value })?.failed,
  url: (name, value) =>
    readable(readDetail({ urls: [{ [name]: value }] }, null, requested, format, 'R' as Reference)).urls[0]?.url,
  url_state: (name, value) => (readUrl({ [name]: value })?.statusName == null ? null : 'a word'),
  reason: (name, value) => readUrl({ [name]: value })?.reason,
  found: (name, value) => readResult({ [name]: value })?.verdict,
  verdict: (name, value) => (readResult({ [name]: value })?.statusName == null ? null : 'a word'),
  total: (name, value) => readPage({ [name]: value })?.total,
  pages: (name, value) => readPage({ [name]: value })?.last,
  page_size: (name, value) => readPage({ [name]: value })?.last,
  has_more: (name, value) => readPage({ [name]: value })?.last,
  next_page: (name, value) => readPage({ [name]: value })?.last,
};

const listExamples = (form: Form): Json[] => Object.values(FORMS[form].examples) as Json[];

describe('the table of fields', () => {
  for (const key of ANSWER_FIELD_KEYS) {
    const { form, names } = ANSWER_FIELDS[key];
    test(`${key} is read under each of its names and in each form of it, always as the same`, () => {
      const read = new Set(names.flatMap((name) => listExamples(form).map((value) => READERS[key](name, value))));
      assert.equal(read.size, 1, JSON.stringify([...read]));
      const [value] = read;
      assert.ok(value !== null && value !== undefined && value !== '', String(value));
    });
  }

  test('has every name as the readers look for it, once for a value', () => {
    for (const key of ANSWER_FIELD_KEYS) {
      const { names } = ANSWER_FIELDS[key];
      assert.deepEqual(names, [...new Set(names.map(normalizeName))], key);
    }
  });
});
