import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AccountId, IdempotencyKey, LedgerId, Reference, WatchId } from '../submission/ids.ts';
import { checkWorkflowId, dispatcherWorkflowId, trackerWorkflowId, watchWorkflowId } from './ids.ts';

const LEDGER = 'abcd1234' as LedgerId;
const track = (job: string) => trackerWorkflowId(LEDGER, job as Reference);

describe('the id of a tracker', () => {
  for (const job of [`sc1-${'0'.repeat(40)}`, 'IDX-1', 'sub_01J8ZQ', 'sipariş/7 & 8', 'r'.repeat(200)]) {
    test(`${job.slice(0, 60)} is in it as it is`, () => {
      assert.equal(trackerWorkflowId(LEDGER, job as IdempotencyKey), `submission/abcd1234/${job}`);
    });
  }

  for (const [script, letter] of [
    ['Latin', 'a'],
    ['Turkish', 'ş'],
    ['Chinese', '网'],
    ['emoji', '🚀'],
  ] as const) {
    test(`of the longest reference in ${script} fits in every store of Temporal`, () => {
      const long = letter.repeat(500);
      const id = track(long);
      assert.ok(Buffer.byteLength(id) <= 250, `${Buffer.byteLength(id)} bytes`);
      assert.match(id, /^submission\/abcd1234\/sha256-[0-9a-f]{64}$/);
      assert.equal(track(long), id, 'the same at each start');
      assert.notEqual(track(`${letter.repeat(499)}b`), id, 'and of no other reference');
    });
  }
});

describe('ids made of configured names', () => {
  test('the longest names fit', () => {
    const longest = 'n'.repeat(63);
    const run = '2026-01-15T120000-abcd';
    for (const id of [
      watchWorkflowId(LEDGER, longest as WatchId, run),
      checkWorkflowId(LEDGER, longest as WatchId, `scheduled-${run}`),
      dispatcherWorkflowId(LEDGER, longest as AccountId),
    ]) {
      assert.ok(id.length <= 200, id);
    }
  });
});
