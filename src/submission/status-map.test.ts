import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createStatusMapping, mergeStatusMap, type UnknownStatus } from './status-map.ts';

const mapping = createStatusMapping();

describe('status mapping', () => {
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
    test(`the job status "${word}" means ${state}`, () => assert.equal(mapping.job(word), state));
  }

  test('an unknown word means open, never failed', () => {
    assert.equal(mapping.url('Frobnicated'), 'open');
    assert.equal(mapping.url(null), 'open');
    assert.equal(mapping.url('FAILED'), 'failed');
    assert.equal(mapping.job(null), null);
    assert.equal(mapping.check(['perhaps']), null);
    assert.equal(mapping.check(['Not Indexed']), 'not-found');
    assert.equal(mapping.check(['done', 'not_found']), 'not-found');
  });

  test("an account's words override the defaults, in any letter case and with any diacritics", () => {
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
    assert.deepEqual(['-1', '1', '+1'].map(signed.url), ['failed', 'completed', 'open'], 'a sign is not a hyphen');
  });

  test('each unknown status is reported once, with its kind', () => {
    const reported: UnknownStatus[] = [];
    const reporting = createStatusMapping(undefined, (status) => reported.push(status));
    for (const word of ['Baking', 'BAKING', 'queued', 'baking']) reporting.job(word);
    reporting.url('Baking');
    reporting.check(['perhaps', 'maybe']);
    assert.deepEqual(reported, [
      { kind: 'job', statusName: 'Baking' },
      { kind: 'url', statusName: 'Baking' },
      { kind: 'check', statusName: 'perhaps' },
    ]);
    for (let n = 0; n < 10_000; n++) reporting.job(`word ${n}`);
    assert.ok(reported.length <= 100, 'a service that invents words does not flood the log');
  });
});
