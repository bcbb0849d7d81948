import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';

describe('resetConnection', () => {
  test('of a connection that is shutting down leaves a process that can end', () => {
    const program = `
      import { connect, createServer } from 'node:net';
      import { resetConnection } from ${JSON.stringify(new URL('./reset-connection.ts', import.meta.url).href)};
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.end('bytes that are still under way');
        resetConnection(socket);
        server.close();
      });
      server.listen(0, '127.0.0.1', () => connect(server.address().port, '127.0.0.1').on('error', () => undefined).resume());
    `;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program];
    const { status, signal, stderr } = spawnSync(process.execPath, args, { timeout: 20_000, encoding: 'utf8' });
    assert.deepEqual([status, signal], [0, null], stderr);
  });
});
