import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AccountId, BatchId, Reference, WatchId } from '../submission/ids.ts';
import type { Url } from '../url/normalize-url.ts';
import { renderCsv } from './csv.ts';
import type { Report } from './report.ts';

const EMPTY: Report = {
  madeAt: 0,
  since: 0,
  today: 0,
  watches: [],
  accounts: [],
  stages: [],
  failures: [],
  otherFailures: 0,
  slowest: [],
  purchasesSince: null,
  checksSince: null,
  checkDetailsFrom: null,
};

/** Reads RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n"]*))(,|\r\n)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

describe('the report as CSV', () => {
  const hostile = ['=cmd|"/c calc"!A1', '+1', '-1', '@SUM(A1)', '\t=1', 'a "quoted", text\r\nof two lines', '＝1'];

  test('no reason, URL or reference of others begins a formula, or breaks its line', () => {
    const report: Report = {
      ...EMPTY,
      failures: hostile.map((reason) => ({ reason, urls: 1 })),
      watches: [
        {
          watch: 'shop' as WatchId,
          account: 'main' as AccountId,
          runs: [],
          counts: [],
          adopted: 0,
          countedSince: null,
          checks: [],
          due: { urls: 1, oldest: 0, oldestUrl: '=HYPERLINK("https://evil.example")' as Url },
          quarantine: [{ reason: { code: 'reported', text: '@SUM(1)' }, urls: 1, example: '@evil' as Url }],
        },
      ],
      slowest: [
        { batch: 1 as BatchId, watch: 'shop' as WatchId, reference: '=1' as Reference, urls: 1, acceptedAt: 0, ms: 1 },
      ],
    };
    const rows = parseCsv(renderCsv(report));
    assert.ok(rows.every((row) => row.length === 8));
    for (const row of rows) for (const cell of row) assert.doesNotMatch(cell, /^[=+\-@\t\r＝]/, cell);
    const reasons = rows.filter(([figure]) => figure === 'failures').map((row) => row.at(-1)?.replace(/^'/, ''));
    assert.deepEqual(reasons, hostile);
  });

  test('amounts and times say their unit, and an unknown count has no line', () => {
    const day = Date.UTC(2026, 0, 31);
    const run = { day, listed: 7, new: 1, gone: 0, finished: 1, incomplete: 0 };
    const text = renderCsv({
      ...EMPTY,
      watches: [
        {
          watch: 'shop' as WatchId,
          account: 'main' as AccountId,
          runs: [run],
          counts: [],
          adopted: 0,
          countedSince: null,
          checks: [],
          due: { urls: 0, oldest: null, oldestUrl: null },
          quarantine: [],
        },
      ],
      stages: [{ stage: 'accepted', all: null, days: [{ day, urls: 1, median: 5, ninth: 6 }] }],
    });
    assert.deepEqual(text.split('\r\n').slice(0, 4), [
      'figure,day,account,watch,stage,measure,value,text',
      'coverage,2026-01-31,main,shop,,listed,7,',
      'runs,2026-01-31,main,shop,,new,1,',
      'runs,2026-01-31,main,shop,,gone,0,',
    ]);
    assert.match(text, /\ntimes,2026-01-31,,,accepted,median_ms,5,\r\n/);
  });
});
