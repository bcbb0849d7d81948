import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { CommandError } from '../cli-kit/exit-codes.ts';
import { createTimeLimit } from './time-limit.ts';

describe('the time limit of a command', () => {
  test('aborts with exit code 5 and what it means when the time is up', async () => {
    const [signal] = createTimeLimit('1ms');
    assert.ok(signal !== undefined);
    // The limit itself keeps no process alive.
    const awake = setInterval(() => undefined, 1_000);
    if (!signal.aborted) await once(signal, 'abort');
    clearInterval(awake);
    assert.ok(signal.reason instanceof CommandError);
    assert.equal(signal.reason.exitCode, 5);
    assert.match(signal.reason.message, /Stopped after 1ms \(--max-time\).*stays planned/);
  });

  test('is none unless it is given, and refuses what is not a duration', () => {
    assert.deepEqual(createTimeLimit(undefined), []);
    for (const text of ['soon', '30', '0s']) assert.throws(() => createTimeLimit(text), /Nothing was run or charged/);
  });
});
