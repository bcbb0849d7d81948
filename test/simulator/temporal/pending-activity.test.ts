import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Kernel } from '../platform/kernel.ts';
import type { Failure } from './history.ts';
import { DEFECTS_AT_MOST, PendingActivity } from './pending-activity.ts';

const DEFECT: Failure = {
  kind: 'application',
  message: 'UNIQUE constraint failed',
  type: 'Error',
  nonRetryable: false,
  nextRetryMs: null,
};

/** What is reported of an activity whose attempts fail in this way, one after the other. */
function fail(failures: readonly Failure[]): readonly string[] {
  const breaches: string[] = [];
  const options = {
    ...{ taskQueue: null, startToCloseMs: 60_000, scheduleToCloseMs: null, heartbeatMs: null },
    initialMs: 2_000,
    coefficient: 1,
    maximumMs: 2_000,
    attempts: Number.POSITIVE_INFINITY,
  };
  const activity = new PendingActivity(
    { kernel: new Kernel(1, 0), leastRetryMs: () => 0, onBreach: (text: string) => breaches.push(text) } as never,
    { activities: new Map() } as never,
    { kind: 'activity', seq: 1, type: 'sendNextBatch', args: '[]', options, at: 0 },
  );
  for (const failure of failures) activity.end(activity.start()!, { kind: 'failed', failure });
  return breaches;
}

const repeat = (failure: Failure, times = DEFECTS_AT_MOST): readonly Failure[] =>
  Array.from({ length: times }, () => failure);

describe('a pending activity', () => {
  test('that fails again and again without a reason of ours is a breach, once', () => {
    assert.deepEqual(fail(repeat(DEFECT, DEFECTS_AT_MOST - 1)), []);
    const [breach, ...more] = fail(repeat(DEFECT, 2 * DEFECTS_AT_MOST));
    assert.match(breach ?? '', /^sendNextBatch has failed \d+ times in a row: UNIQUE constraint failed$/);
    assert.deepEqual(more, []);
  });

  test('that asks for a delay, times out or fails for a reason of ours in between goes on', () => {
    const others: readonly Failure[] = [
      { ...DEFECT, nextRetryMs: 1_000 },
      { ...DEFECT, kind: 'timeout', type: 'TIMEOUT' },
      { ...DEFECT, type: 'SecretMissingError' },
    ];
    for (const other of others) {
      assert.deepEqual(fail(repeat(other, 2 * DEFECTS_AT_MOST)), []);
      assert.deepEqual(fail([...repeat(DEFECT, DEFECTS_AT_MOST - 1), other, ...repeat(DEFECT, 2)]), []);
    }
  });
});
