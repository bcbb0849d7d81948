import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const sandbox = fileURLToPath(new URL('./sandbox.ts', import.meta.url));

describe('sandbox', () => {
  test('a port that another program takes in the meantime is replaced by a free one', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-sandbox-'));
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const args = ['--database', `sqlite:${join(folder, 'service.db')}`, '--port', String(port)];
    const files = ['--temporal', '127.0.0.1:9', '--key-file', join(folder, 'api-key')];
    const child = spawn(process.execPath, [sandbox, ...args, ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      other.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const { type, base_url: baseUrl } = JSON.parse(line) as { type: string; base_url: string };
    assert.equal(type, 'listening');
    assert.notEqual(Number(new URL(baseUrl).port), port);
    assert.equal((await fetch(baseUrl)).status, 200);
  });
});
