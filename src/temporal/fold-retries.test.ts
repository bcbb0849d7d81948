import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foldRetries } from './fold-retries.ts';

const RETRY = {
  target: 'temporalio_client::retry',
  error: 'Status { code: Unavailable, message: "tcp connect error", source: None }',
};

function openFold() {
  let time = 0;
  let due: { at: number; work: () => void } | null = null;
  const lines: string[] = [];
  const fold = foldRetries({
    write: (level, message, meta) => lines.push(`${level} ${message} ${JSON.stringify(meta)}`),
    recovered: (message) => lines.push(message),
    now: () => time,
    schedule(work, ms) {
      const own = { at: time + ms, work };
      due = own;
      return () => {
        if (due === own) due = null;
      };
    },
  });
  return {
    fold,
    lines,
    pass(ms: number) {
      time += ms;
      if (due === null || due.at > time) return;
      const { work } = due;
      due = null;
      work();
    },
  };
}

describe('retries of the SDK in the log', () => {
  test('an outage of the Temporal server is one line, and its end another, however many calls are retried', () => {
    const { fold, lines, pass } = openFold();
    for (let second = 0; second < 110; second++) {
      fold('WARN', `gRPC call poll_activity_task_queue retried ${second} times`, RETRY);
      pass(1_000);
    }
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /does not respond.*"reason":"Unavailable: tcp connect error"/);
    pass(60_000);
    assert.deepEqual(lines.slice(1), ['the Temporal server responds again, after 109 s and 110 retried calls']);
    fold('WARN', 'gRPC call retried 6 times', RETRY);
    assert.equal(lines.length, 3, 'the next outage has a line of its own');
  });

  test('a warning that repeats is written once in ten minutes, with the count of the others', () => {
    const { fold, lines, pass } = openFold();
    const fail = (activityType: string) =>
      fold('WARN', 'Activity failed', { activityType, error: new Error('the disk is full') });
    for (let n = 0; n < 5; n++) fail('planRun');
    fail('diffRun');
    assert.equal(lines.length, 2);
    pass(600_000);
    fail('planRun');
    assert.match(lines[2] ?? '', /"repeated":4/);
  });

  test('other lines pass unchanged', () => {
    const { fold, lines } = openFold();
    fold('INFO', 'Worker state changed', {});
    fold('INFO', 'Worker state changed', {});
    assert.equal(lines.length, 2);
  });
});
