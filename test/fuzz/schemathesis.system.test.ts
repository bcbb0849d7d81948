import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const CANNOT_RUN = 77;

describe('the contract under schemathesis', () => {
  test('schemathesis finds no difference between the contract and the service (a short run)', {
    timeout: 120_000,
  }, async (t) => {
    const script = fileURLToPath(new URL('./schemathesis.ts', import.meta.url));
    const run = spawn(process.execPath, [script, '--seconds', '4', '--installed-only'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [run.stdout, run.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    const [code] = (await once(run, 'exit')) as [number];
    if (code === CANNOT_RUN) {
      t.skip(said.trim().split('\n').at(-1));
      return;
    }
    assert.equal(code, 0, said);
  });
});
