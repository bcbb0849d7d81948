import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SIMULATE = fileURLToPath(new URL('./simulate-accounts.ts', import.meta.url));

describe('accounts that refuse the key, have no money or answer after 30 s', () => {
  test('leave the submissions lane and the poll slots of seventeen others to them', async () => {
    const args = ['--disable-warning=ExperimentalWarning', SIMULATE, '--minutes', '4'];
    // Exit code 1 when a promise is missed. The clock is virtual: a busy machine changes nothing.
    const { stdout } = await run(process.execPath, args);
    assert.match(stdout, /17 others: [1-9]\d\d submissions/);
    assert.match(stdout, /of their [1-9]\d\d+ polls/);
  });
});
