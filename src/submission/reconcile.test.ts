import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reference } from './ids.ts';
import { type Candidate, mustReconcile, proofOf, sameUrls } from './reconcile.ts';

const HOUR = 3_600_000;
const batch = {
  tag: 'sc00000000000001',
  urls: ['https://a.example/1', 'https://a.example/2'],
  firstSentAt: 100 * HOUR,
};
const job: Candidate = { reference: 'SUB-1' as Reference, project: null, createdAt: null, urlCount: null };

test('a key is trusted for twenty hours from the first attempt, or as long as it is set', () => {
  assert.equal(mustReconcile(0, 20 * HOUR - 1), false);
  assert.equal(mustReconcile(0, 20 * HOUR), true);
  assert.equal(mustReconcile(0, HOUR, HOUR), true);
});

const rows: { what: string; job: Partial<Candidate>; proof: string }[] = [
  { what: 'our tag', job: { project: 'Shop [sc00000000000001]' }, proof: 'same' },
  {
    what: 'our tag, its project cut or decorated',
    job: { project: 'API: Shop [sc00000000000001] (1)' },
    proof: 'same',
  },
  { what: 'another tag', job: { project: 'Shop [sc00000000000002]' }, proof: 'other' },
  { what: 'older than the first attempt', job: { createdAt: 99 * HOUR }, proof: 'other' },
  {
    what: 'as old as the first attempt, by another clock',
    job: { createdAt: 100 * HOUR - 60_000 },
    proof: 'compare-urls',
  },
  { what: 'another number of URLs', job: { urlCount: 3 }, proof: 'other' },
  { what: 'a project without a tag', job: { project: 'API Submission', urlCount: 2 }, proof: 'compare-urls' },
  { what: 'nothing told', job: {}, proof: 'compare-urls' },
];
for (const row of rows) {
  test(`a job with ${row.what}: ${row.proof}`, () => {
    assert.equal(proofOf({ ...job, ...row.job }, batch).kind, row.proof);
  });
}

test('the same URLs in another order are the same, one more or another are not', () => {
  assert.equal(sameUrls(batch.urls, batch.urls.toReversed()), true);
  assert.equal(sameUrls(batch.urls, [...batch.urls, 'https://a.example/3']), false);
  assert.equal(sameUrls(batch.urls, [batch.urls[0]!, batch.urls[0]!]), false);
});
