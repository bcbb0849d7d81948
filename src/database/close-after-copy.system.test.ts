import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

/** Holds the event loop until the copy has ended, so that its message comes while `close` waits for the thread. */
const PROGRAM = `
import { raw } from '${new URL('sql.ts', import.meta.url)}';
import { openSqlite } from '${new URL('sqlite.ts', import.meta.url)}';
const db = openSqlite(process.argv[1], { logBytes: 64 * 1024 });
await db.run(raw('CREATE TABLE t (x TEXT)'));
await db.tx(async (tx) => {
  for (let row = 0; row < 400; row += 1) await tx.run(raw('INSERT INTO t VALUES (hex(randomblob(1000)))'));
});
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
await db.close();
process.stdout.write('closed');
`;

describe('closing a SQLite file', () => {
  test('ends, also when the copy of a large log ends at that moment', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'courier-close-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', PROGRAM];
    const child = spawn(process.execPath, [...args, join(folder, 'a.db')], { stdio: ['ignore', 'pipe', 'inherit'] });
    assert.equal(await text(child.stdout), 'closed');
  });
});
