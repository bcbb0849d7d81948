import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { emptyDatabaseUrl, TEST_DIALECTS } from '../../test/support/database.ts';
import { openService, TestClient, urlList } from '../../test/support/service.ts';
import { openAdministration, startService } from '../serve.ts';
import { backUp } from './backup.ts';

const main = fileURLToPath(new URL('../cli/main.ts', import.meta.url));

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-backup-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Starts a service on a restored database and checks that it is the account and the submission of before. */
async function checkRestored(t: TestContext, database: string, key: string, reference: string): Promise<void> {
  const service = await startService({ database });
  t.after(() => service.close());
  const client = new TestClient(service.baseUrl, key);
  assert.equal(await client.balance(), 999);
  assert.equal((await client.detail(reference)).url_count, 4);
  const { operations, close } = await openAdministration(database);
  assert.deepEqual(await operations.audit(), []);
  await close();
}

describe('backup of SQLite', () => {
  test('a copy made while submissions arrive is complete and private, and a service can run on it', async (t) => {
    const { client, url } = await openService(t, 'sqlite');
    const folder = makeFolder(t);
    const { body } = await client.post('/submissions', 'backup-1', { urls: urlList(4) });
    const file = join(folder, 'copy.db');
    const { bytes, differences } = await backUp(url, file);
    assert.deepEqual(differences, []);
    assert.equal(statSync(file).size, bytes);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(existsSync(`${file}-wal`), false);

    const busy = join(folder, 'busy.db');
    const child = spawn(process.execPath, [main, 'backup', busy, '--database', url], { stdio: 'inherit' });
    const ended = once(child, 'exit');
    let accepted = 0;
    for (; child.exitCode === null; accepted++) {
      assert.equal((await client.post('/submissions', `load-key-${accepted}`, { urls: urlList(1) })).status, 202);
    }
    assert.deepEqual(await ended, [0, null], 'the copy is one moment of a busy database: its audit finds nothing');
    assert.ok(accepted > 5, 'submissions arrived meanwhile');

    const restored = join(folder, 'restored.db');
    copyFileSync(file, restored);
    await checkRestored(t, `sqlite:${restored}`, client.key, body.data.reference);
  });

  test('never replaces a file, and leaves nothing behind on failure', async (t) => {
    const { url } = await openService(t, 'sqlite');
    const folder = makeFolder(t);
    const file = join(folder, 'copy.db');
    writeFileSync(file, 'mine');
    await assert.rejects(backUp(url, file), /already exists; nothing was written/);
    assert.equal(statSync(file).size, 4);
    await assert.rejects(backUp(`sqlite:${folder}/missing.db`, join(folder, 'b.db')), /there is no database/);
    const broken = join(folder, 'broken.db');
    writeFileSync(broken, 'this is not a database, but long enough to be taken for one'.repeat(20));
    await assert.rejects(backUp(`sqlite:${broken}`, join(folder, 'c.db')), /cannot be copied/);
    for (const name of ['b.db', 'c.db', 'b.db.partial', 'c.db.partial'])
      assert.equal(existsSync(join(folder, name)), false);
  });
});

const pgDump = spawnSync('pg_dump', ['--version']).status === 0;
const skip = !(TEST_DIALECTS as readonly string[]).includes('postgres')
  ? 'COURIER_TEST_POSTGRES is not set'
  : !pgDump && 'pg_dump is not installed';

describe('backup of Postgres', { skip }, () => {
  test('pg_dump and pg_restore, as documented, give a database that a service can run on', async (t) => {
    const { client, url } = await openService(t, 'postgres');
    const { body } = await client.post('/submissions', 'backup-1', { urls: urlList(4) });
    const file = join(makeFolder(t), 'service.dump');
    const source = new URL(url);
    const schema = source.searchParams.get('schema')!;
    source.searchParams.delete('schema');
    const run = (command: string, ...args: string[]) => {
      const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    };
    const name = `restored_${process.pid}_${Date.now()}`;
    run('pg_dump', '--format=custom', `--schema=${schema}`, `--file=${file}`, source.href);
    run('psql', '--quiet', '--command', `CREATE DATABASE ${name}`, source.href);
    t.after(() => run('psql', '--quiet', '--command', `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, source.href));
    const target = new URL(source);
    target.pathname = `/${name}`;
    run('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${target.href}`, file);
    await checkRestored(t, `${target.href}?schema=${schema}`, client.key, body.data.reference);
  });

  test('the backup command names the tool to use', async (t) => {
    await assert.rejects(backUp(emptyDatabaseUrl(t, 'postgres'), 'x.db'), /pg_dump/);
  });
});
