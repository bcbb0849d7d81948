import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { startCourier } from './cli.ts';

/** Starts the codec server of a folder, for one origin, and returns its address. */
export async function startCodecServer(t: TestContext, folder: string, origin: string): Promise<string> {
  const server = startCourier(folder, 'codec-server', '--port', '0', '--origin', origin);
  const ended = once(server, 'exit');
  t.after(async () => {
    server.kill('SIGTERM');
    assert.deepEqual(await ended, [143, null]);
  });
  for await (const line of createInterface(server.stdout ?? assert.fail())) {
    const record = JSON.parse(line) as { type: string; url?: string };
    if (record.type === 'listening') return record.url ?? '';
  }
  return assert.fail('the codec server has not started');
}
