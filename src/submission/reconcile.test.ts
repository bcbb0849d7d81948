import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reference } from './ids.ts';
import { type Candidate, compareUrls, findProof, mustReconcile } from './reconcile.ts';

const HOUR = 3_600_000;
const batch = {
  tag: 'sc00000000000001',
  urls: ['https://a.example/1', 'https://a.example/2'],
  firstSentAt: 100 * HOUR,
};
const job: Candidate = { reference: 'SUB-1' as Reference, project: null, createdAt: null, urlCount: null };

describe('reconciliation proofs', () => {
  test('a key is trusted for twenty hours from the first attempt, or for the configured time', () => {
    assert.equal(mustReconcile(0, 20 * HOUR - 1), false);
    assert.equal(mustReconcile(0, 20 * HOUR), true);
    assert.equal(mustReconcile(0, HOUR, HOUR), true);
  });

  const rows: { what: string; job: Partial<Candidate>; proof: string }[] = [
    { what: 'the tag of the batch', job: { project: 'Shop [sc00000000000001]' }, proof: 'same' },
    {
      what: 'the tag in a truncated or decorated project',
      job: { project: 'API: Shop [sc00000000000001] (1)' },
      proof: 'same',
    },
    { what: 'another tag', job: { project: 'Shop [sc00000000000002]' }, proof: 'other' },
    { what: 'a creation time a day before the first attempt', job: { createdAt: 75 * HOUR }, proof: 'other' },
    { what: 'a creation time in another time zone', job: { createdAt: 88 * HOUR }, proof: 'compare-urls' },
    {
      what: 'a creation time within clock skew',
      job: { createdAt: 100 * HOUR - 60_000 },
      proof: 'compare-urls',
    },
    { what: 'another number of URLs', job: { urlCount: 3 }, proof: 'compare-urls' },
    { what: 'a project without a tag', job: { project: 'API Submission', urlCount: 2 }, proof: 'compare-urls' },
    { what: 'no reported fields', job: {}, proof: 'compare-urls' },
  ];
  for (const row of rows) {
    test(`a job with ${row.what}: ${row.proof}`, () => {
      assert.equal(findProof({ ...job, ...row.job }, batch).kind, row.proof);
    });
  }

  const [one, two] = batch.urls as [string, string];
  for (const [what, jobUrls, result] of [
    ['the same URLs in another order', [two, one], 'same'],
    ['the same URLs in another form', ['https://A.example:443/1/', ' https://a.example/2'], 'same'],
    ['one URL more', [one, two, 'https://a.example/3'], 'other'],
    ['fewer URLs, one of another job', ['https://a.example/3'], 'other'],
    ['no URLs yet', [], 'unsure'],
    ['some of them', [one], 'unsure'],
    ['as many URLs, one of them unknown', [one, 'https://a.example/two'], 'unsure'],
  ] as const) {
    test(`a job with the first URL that reports ${what}: ${result}`, () => {
      assert.equal(compareUrls(batch.urls, jobUrls), result);
    });
  }
});
