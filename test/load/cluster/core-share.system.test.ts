import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcess } from '../../../bench/idle/process-figures.ts';
import { holdToShare } from './core-share.ts';

const SHARE = 0.2;
const WATCHED_MS = 3_000;
/** What a process may be ahead: it runs until the next look at it, which a busy machine delays. */
const AHEAD_MS = 300;

const skip = process.platform === 'linux' ? false : 'reads /proc';

describe('a process that is held to a share of a core', () => {
  test('takes its share, goes on with it, and can be ended', { skip }, async () => {
    const child = spawn(process.execPath, ['-e', 'console.log("runs"); for (;;);'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout!, 'data');
      const [from, cpuFrom] = [performance.now(), readProcess(child.pid!).cpuMs];
      holdToShare(child, SHARE);
      await sleep(WATCHED_MS);
      const used = readProcess(child.pid!).cpuMs - cpuFrom;
      const share = (performance.now() - from) * SHARE;
      assert.ok(used < share + AHEAD_MS, `${used} ms of processor time, its share is ${share} ms`);
      assert.ok(used > share / 4, `only ${used} ms of processor time, its share is ${share} ms`);
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [null, 'SIGTERM']);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
