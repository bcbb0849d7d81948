import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const NODE = ['--disable-warning=ExperimentalWarning', main];

function openDatabaseWithAccount(t: TestContext): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'courier-service-cli-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const database = ['--database', `sqlite:${join(folder, 'service.db')}`];
  const args = ['account', 'create', '--name', 'A', '--balance', '1', '--price', '0.25', ...database];
  assert.equal(spawnSync(process.execPath, [...NODE, ...args]).status, 0);
  return database;
}

function listKeys(database: readonly string[]): Record<string, unknown>[] {
  const { stdout } = spawnSync(process.execPath, [...NODE, 'key', 'list', '--account', 'A', '--json', ...database]);
  const records = String(stdout).trim().split('\n');
  return records.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ type }) => type === 'key');
}

describe('a reader that closes the output of courier-service', () => {
  test('key create whose output cannot be shown ends with 3, names the key that was made, and shows no stack', async (t) => {
    const database = openDatabaseWithAccount(t);
    const child = spawn(process.execPath, [...NODE, 'key', 'create', '--account', 'A', '--json', ...database]);
    // As `| head -0`: gone before anything was written.
    child.stdout.destroy();
    const [stderr, code] = await Promise.all([
      text(child.stderr),
      new Promise<number | null>((resolve) => child.on('close', resolve)),
    ]);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /The output is incomplete: its reader closed it/);
    assert.doesNotMatch(stderr, /EPIPE|^ +at /m);
    const [key, ...others] = listKeys(database);
    assert.deepEqual(others, []);
    assert.match(stderr, new RegExp(`The key ${key?.id} was made and not shown.*key revoke ${key?.id}`));
  });

  test('key create | head -1 shows the version record and no stack', (t) => {
    const database = openDatabaseWithAccount(t);
    const words = [process.execPath, ...NODE, 'key', 'create', '--account', 'A', '--json', ...database];
    const line = `${words.map((word) => `'${word}'`).join(' ')} | head -1`;
    const { stdout, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
    assert.match(stdout, /^\{"type":"version".*\}\n$/);
    assert.doesNotMatch(stderr, /EPIPE|^ +at /m);
    assert.equal(listKeys(database).length, 1);
  });
});
