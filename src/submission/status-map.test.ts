import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStatusMapping, mergeStatusMap, type UnknownStatus } from './status-map.ts';

const words = createStatusMapping();

for (const [word, state] of [
  ['queued', 'queued'],
  ['COMPLETED', 'completed'],
  ['In Progress', 'processing'],
  ['inProgress', 'processing'],
  ['partially_completed', 'partial'],
  ['Failed', 'failed'],
  ['Frobnicating', 'frobnicating'],
  ['error', 'error'],
  ['cancelled', 'cancelled'],
] as const) {
  test(`a job that is called ${word} is ${state}`, () => assert.equal(words.job(word), state));
}

test('a word that we do not know is open, never failed', () => {
  assert.equal(words.url('Frobnicated'), 'open');
  assert.equal(words.url(null), 'open');
  assert.equal(words.url('FAILED'), 'failed');
  assert.equal(words.job(null), null);
  assert.equal(words.check(['perhaps']), null);
  assert.equal(words.check(['Not Indexed']), 'not-found');
  assert.equal(words.check(['done', 'not_found']), 'not-found');
});

test("an account's own words win over ours, in whatever letter case and with whatever marks", () => {
  const own = createStatusMapping(
    mergeStatusMap({
      job: { completed: ['Tamamlandı'], partial: ['kısmi'], failed: ['done'] },
      url: { failed: ['Frobnicated'] },
      check: { notFound: ['yok'] },
    }),
  );
  assert.deepEqual(['TAMAMLANDI', 'tamamlandi', 'KISMİ', 'kismi', 'done', 'finished'].map(own.job), [
    ...['completed', 'completed', 'partial', 'partial', 'failed', 'completed'],
  ]);
  assert.equal(own.url('frobnicated'), 'failed');
  assert.equal(own.check(['YOK']), 'not-found');
  const signed = createStatusMapping(mergeStatusMap({ url: { failed: ['-1'], completed: ['1'] } }));
  assert.deepEqual(['-1', '1', '+1'].map(signed.url), ['failed', 'completed', 'open'], 'a sign is no hyphen');
});

test('each unknown status is reported once, with where it was seen', () => {
  const reported: UnknownStatus[] = [];
  const telling = createStatusMapping(undefined, (seen) => reported.push(seen));
  for (const word of ['Baking', 'BAKING', 'queued', 'baking']) telling.job(word);
  telling.url('Baking');
  telling.check(['perhaps', 'maybe']);
  assert.deepEqual(reported, [
    { kind: 'job', word: 'Baking' },
    { kind: 'url', word: 'Baking' },
    { kind: 'check', word: 'perhaps' },
  ]);
  for (let n = 0; n < 10_000; n++) telling.job(`word ${n}`);
  assert.ok(reported.length <= 100, 'a service that invents words does not flood the log');
});
