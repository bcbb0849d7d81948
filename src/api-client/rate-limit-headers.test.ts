import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { HeaderBudget } from '../submission/answer.ts';
import type { ResponseHeaders } from './headers.ts';
import { LONGEST_WAIT_MS, readReset, readRetryAfter } from './http-time.ts';
import { readBudgets } from './rate-limit-headers.ts';

const now = Date.parse('2026-11-21T08:00:00Z');
const budget = (
  windowSeconds: number | null,
  limit: number | null,
  remaining: number | null,
  resetMs: number | null = null,
  scope = '',
): HeaderBudget => ({ scope, windowSeconds, limit, remaining, resetMs });

const golden: { dialect: string; headers: ResponseHeaders; budgets: HeaderBudget[] }[] = [
  {
    dialect: 'Kong',
    headers: {
      'x-ratelimit-limit-minute': '120',
      'x-ratelimit-remaining-minute': '118',
      'x-ratelimit-limit-hour': '3000',
      'x-ratelimit-remaining-hour': '2998',
      'x-ratelimit-limit-day': '30000',
      'x-ratelimit-remaining-day': '29998',
    },
    budgets: [budget(60, 120, 118), budget(3600, 3000, 2998), budget(86_400, 30_000, 29_998)],
  },
  {
    dialect: 'window before the kind, separated by hyphens',
    headers: { 'X-Rate-Limit-Minute-Remaining': '7', 'X-Rate-Limit-Minute-Reset': '30' },
    budgets: [budget(60, null, 7, 30_000)],
  },
  {
    dialect: 'plain triple with an epoch reset',
    headers: {
      'x-ratelimit-limit': '120',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(now / 1000 + 42),
    },
    budgets: [budget(null, 120, 0, 42_000)],
  },
  {
    dialect: 'plain triple with an epoch reset in milliseconds, by a clock an hour ahead',
    headers: {
      'x-ratelimit-remaining': '3',
      'x-ratelimit-reset': String(now + 3_600_000 + 5_000),
      date: new Date(now + 3_600_000).toUTCString(),
    },
    budgets: [budget(null, null, 3, 5_000)],
  },
  {
    dialect: 'ISO reset',
    headers: { 'x-ratelimit-remaining-hour': '1', 'x-ratelimit-reset-hour': '2026-11-21T08:10:00Z' },
    budgets: [budget(3600, null, 1, 600_000)],
  },
  {
    dialect: 'one header with a value per window',
    headers: { 'x-ratelimit-remaining': 'minute=119, hour=2999, day=29999', 'x-ratelimit-limit': 'minute=120' },
    budgets: [budget(60, 120, 119), budget(3600, null, 2999), budget(86_400, null, 29_999)],
  },
  {
    dialect: 'a lane with its own limit beside the general one',
    headers: { 'x-ratelimit-remaining-minute': '100', 'x-ratelimit-submissions-remaining-minute': '4' },
    budgets: [budget(60, null, 100), budget(60, null, 4, null, 'submissions')],
  },
  {
    dialect: 'IETF draft 2: triple with the policy inside',
    headers: { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '50', 'ratelimit-reset': '50' },
    budgets: [budget(60, 100, 50, 50_000)],
  },
  {
    dialect: 'IETF draft 6: triple and policy',
    headers: {
      'ratelimit-limit': '120',
      'ratelimit-remaining': '119',
      'ratelimit-reset': '60',
      'ratelimit-policy': '120;w=60, 3000;w=3600',
    },
    budgets: [budget(60, 120, 119, 60_000)],
  },
  {
    dialect: 'IETF draft 7: dictionary',
    headers: { ratelimit: 'limit=100, remaining=50, reset=5', 'ratelimit-policy': '100;w=60' },
    budgets: [budget(60, 100, 50, 5_000)],
  },
  {
    dialect: 'IETF drafts 8 to 11: lists',
    headers: {
      'ratelimit-policy': '"burst";q=120;w=60, "daily";q=30000;w=86400',
      ratelimit: '"burst";r=50;t=30, "daily";r=29000;t=40000',
    },
    budgets: [budget(60, 120, 50, 30_000), budget(86_400, 30_000, 29_000, 40_000_000)],
  },
  {
    dialect: 'the successor draft: available and window, names without quotes',
    headers: { ratelimit: 'minute;a=50;w=30' },
    budgets: [budget(60, null, 50, 30_000)],
  },
  {
    dialect: 'a repeated header',
    headers: { ratelimit: ['"minute";r=1', '"hour";r=2'] },
    budgets: [budget(60, null, 1), budget(3600, null, 2)],
  },
  {
    dialect: 'unknown',
    headers: {
      'x-ratelimit-remaining-minute': '-5',
      'x-ratelimit-limit-hour': 'many',
      'x-ratelimit-remaining-day': '1e9',
      ratelimit: ';;;,"',
      'ratelimit-policy': '"',
    },
    budgets: [],
  },
  { dialect: 'none', headers: { 'content-type': 'application/json', 'x-limit': '5' }, budgets: [] },
];

describe('readBudgets', () => {
  for (const { dialect, headers, budgets } of golden) {
    test(`rate-limit headers, ${dialect}`, () => assert.deepEqual(readBudgets(headers, now), budgets));
  }

  const waits: [value: string, ms: number | null][] = [
    ['0', 0],
    ['120', 120_000],
    ['1.5', 1_500],
    ['3600', 3_600_000],
    ['Sat, 21 Nov 2026 08:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 07:00:00 GMT', 0],
    ['99999999999', LONGEST_WAIT_MS],
    ['-5', null],
    ['soon', null],
    ['', null],
    ['Infinity', null],
    ['1e3', null],
  ];
  for (const [value, ms] of waits) {
    test(`Retry-After: ${value || '(empty)'} is ${ms === null ? 'ignored' : `${ms} ms`}`, () => {
      assert.equal(readRetryAfter({ 'retry-after': value }, now), ms);
    });
  }

  test('a date without a zone, as asctime writes it, is in GMT wherever this machine is', (t) => {
    const before = process.env.TZ;
    t.after(() => {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    });
    process.env.TZ = 'Europe/Istanbul';
    assert.equal(readRetryAfter({ 'retry-after': 'Sat Nov 21 08:00:30 2026' }, now), 30_000);
  });

  test("a date in Retry-After is measured by the service's clock", () => {
    const skewed = { 'retry-after': 'Sat, 21 Nov 2026 09:00:10 GMT', date: 'Sat, 21 Nov 2026 09:00:00 GMT' };
    assert.equal(readRetryAfter(skewed, now), 10_000);
  });

  test('a reset may be a duration', () => {
    assert.equal(readReset('1m30s', {}, now), 90_000);
    assert.equal(readReset('250ms', {}, now), 250);
    assert.equal(readReset('6m0s', {}, now), 360_000);
  });

  test('no header makes a reader throw, and every wait is a plausible, non-negative number', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'ratelimit',
        'ratelimit-policy',
        'ratelimit-limit',
        'x-ratelimit-remaining-minute',
        'retry-after',
        'date',
        'x-ratelimit-reset',
      ),
    );
    const piece = fc.constantFrom(
      '"',
      ';',
      ',',
      '=',
      'r',
      't',
      'w',
      'q',
      '5',
      '-1',
      'minute',
      ' ',
      '1e400',
      '9'.repeat(30),
      'Mon, ',
    );
    const value = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(fc.dictionary(name, fc.oneof(value, fc.array(value, { maxLength: 3 }))), (headers) => {
        for (const { limit, remaining, resetMs, windowSeconds } of readBudgets(headers, now)) {
          for (const number of [limit, remaining, resetMs, windowSeconds]) {
            assert.ok(number === null || (number >= 0 && Number.isFinite(number)), `${number}`);
          }
        }
        const wait = readRetryAfter(headers, now);
        assert.ok(wait === null || (wait >= 0 && wait <= LONGEST_WAIT_MS));
      }),
      { numRuns: 3_000 },
    );
  });
});
