import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Runtime } from '@temporalio/worker';
import { installRuntime } from './runtime.ts';

describe("the logs of Temporal's SDK", () => {
  test('say why an activity failed, and warn of nothing that every worker of ours does', async () => {
    const lines: [string, string][] = [];
    const note = (level: string) => (_fields: object, text: string) => lines.push([level, text]);
    const log = {
      trace: note('trace'),
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    };
    installRuntime(log as never);
    const { logger } = Runtime.instance();
    logger.warn('Activity failed', { error: new Error('the SQLite file cannot be used: database or disk is full') });
    logger.warn('No workflows registered, not polling for workflow tasks');
    logger.warn('No activities registered, not polling for activity tasks');
    logger.warn('No workflows registered for this queue');
    // It buffers what it writes.
    await Runtime.instance().shutdown();
    assert.deepEqual(lines, [
      ['warn', 'Activity failed: the SQLite file cannot be used: database or disk is full'],
      ['debug', 'No workflows registered, not polling for workflow tasks'],
      ['debug', 'No activities registered, not polling for activity tasks'],
      ['warn', 'No workflows registered for this queue'],
    ]);
  });
});
