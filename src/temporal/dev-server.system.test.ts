import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { Client, Connection } from '@temporalio/client';
import { toCommandError } from '../cli/output/command.ts';
import { EXIT } from '../cli-kit/exit-codes.ts';
import { type DevServer, startDevServer } from './dev-server.ts';
import { findTemporalBinary } from './server-binary.ts';
import { ServerStartError } from './server-start-error.ts';

const getJournal = (file: string): unknown => {
  const db = new DatabaseSync(file);
  try {
    return db.prepare('PRAGMA journal_mode').get()?.journal_mode;
  } finally {
    db.close();
  }
};

/** A file of its own, and servers on it that end before it is removed. */
async function prepareServers(t: TestContext): Promise<{ file: string; start(): Promise<DevServer> }> {
  const folder = mkdtempSync(join(tmpdir(), 'courier-dev-server-'));
  const file = join(folder, 'temporal.db');
  const started: DevServer[] = [];
  t.after(async () => {
    for (const server of started) await server.stop();
    rmSync(folder, { recursive: true, maxRetries: 5 });
  });
  const binary = await findTemporalBinary(() => undefined);
  const start = async () => {
    const server = await startDevServer({ binary, file, headless: true });
    started.push(server);
    return server;
  };
  return { file, start };
}

describe('a Temporal server on a file', () => {
  test('writes ahead, and a server that is killed has lost nothing that it confirmed', async (t) => {
    const { file, start } = await prepareServers(t);
    const first = await start();
    assert.equal(getJournal(file), 'wal');
    const workflowId = 'waits-for-a-worker';
    const connection = await Connection.connect({ address: first.address });
    await new Client({ connection }).workflow.start('any', { taskQueue: 'nobody', workflowId });
    await connection.close();
    const gone = once(first.process, 'exit');
    first.process.kill('SIGKILL');
    await gone;

    const second = await start();
    const again = await Connection.connect({ address: second.address });
    t.after(() => again.close());
    const { status } = await new Client({ connection: again }).workflow.getHandle(workflowId).describe();
    assert.equal(status.name, 'RUNNING');
  });

  test('keeps its files from everybody else, whatever the umask, also those of an earlier version', async (t) => {
    const { file, start } = await prepareServers(t);
    const before = process.umask(0);
    try {
      await (await start()).stop();
      assert.equal(statSync(file).mode & 0o777, 0o600);
      chmodSync(file, 0o644);
      await (await start()).stop();
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.equal(process.umask(), 0, 'only the server has another umask');
    } finally {
      process.umask(before);
    }
  });

  test('takes over the file of a version that did not write ahead', async (t) => {
    const { file, start } = await prepareServers(t);
    await (await start()).stop();
    const db = new DatabaseSync(file);
    assert.equal(db.prepare('PRAGMA journal_mode = DELETE').get()?.journal_mode, 'delete');
    db.close();

    const server = await start();
    await server.stop();
    assert.equal(getJournal(file), 'wal');
  });

  test('whose file is damaged does not start: the error names the files to delete, and a start without them works', async (t) => {
    const { file, start } = await prepareServers(t);
    await (await start()).stop();
    for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    writeFileSync(file, randomBytes(400_000));
    await assert.rejects(start(), (error: Error) => {
      assert.ok(error instanceof ServerStartError && error.isDamaged, error.message);
      assert.match(
        error.message,
        /delete temporal\.db, temporal\.db-wal and temporal\.db-shm in .*nothing of the money is lost/,
      );
      assert.equal(toCommandError(error)?.exitCode, EXIT.partial);
      return true;
    });
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    await (await start()).stop();
  });
});
