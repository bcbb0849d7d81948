import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_SETTINGS } from '../../service/settings.ts';
import { DEFAULT_TIMEOUTS } from '../../src/api-client/transport.ts';
import { SHUTDOWN } from '../../src/temporal/worker.ts';
import { read } from './files.ts';

/** For the launch of the end, closing databases, and a local Temporal server that ends after the worker. */
const MARGIN_MS = 15_000;

/** The seconds that the first group of `pattern` holds in a file of deploy/, in every place. */
function listSeconds(path: string, pattern: RegExp): number[] {
  const found = [...read(path).matchAll(pattern)].map(([, seconds]) => Number(seconds));
  assert.ok(found.length > 0, `${path} sets no time to stop`);
  return found;
}

describe('the time to stop', () => {
  test('of a worker is longer than the longest request', () => {
    assert.ok(SHUTDOWN.graceMs > DEFAULT_TIMEOUTS.totalMs);
    assert.ok(SHUTDOWN.forceMs > SHUTDOWN.graceMs);
  });

  const OF_COURIER: readonly (readonly [string, RegExp])[] = [
    ['systemd/courier-worker.service', /^TimeoutStopSec=(\d+)$/gm],
    ['systemd/courier-run.service', /^TimeoutStopSec=(\d+)$/gm],
    ['kubernetes/worker/deployment.yaml', /terminationGracePeriodSeconds: (\d+)/g],
    ['kubernetes/cron/cron-job.yaml', /terminationGracePeriodSeconds: (\d+)/g],
    ['compose/compose.yaml', /\n {2}worker:\n(?: {4}.*\n)*? {4}stop_grace_period: (\d+)s/g],
  ];
  for (const [path, pattern] of OF_COURIER) {
    test(`that ${path} leaves to courier is longer than what a worker takes`, () => {
      for (const seconds of listSeconds(path, pattern))
        assert.ok(seconds * 1_000 >= SHUTDOWN.forceMs + MARGIN_MS, `${seconds} s`);
    });
  }

  const OF_SERVICE: readonly (readonly [string, RegExp])[] = [
    ['systemd/courier-service.service', /^TimeoutStopSec=(\d+)$/gm],
    ['compose/compose.yaml', /\n {2}service:\n(?: {4}.*\n)*? {4}stop_grace_period: (\d+)s/g],
  ];
  for (const [path, pattern] of OF_SERVICE) {
    test(`that ${path} leaves to courier-service is longer than stop_ms`, () => {
      for (const seconds of listSeconds(path, pattern))
        assert.ok(seconds * 1_000 >= DEFAULT_SETTINGS.stopMs + 5_000, `${seconds} s`);
    });
  }
});
