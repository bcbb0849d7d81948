import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { answers } from './dev-server.ts';
import { isAlive } from './is-alive.ts';

const program = fileURLToPath(new URL('../../test/support/processes/local-server-user.ts', import.meta.url));

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'courier-local-server-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

interface User {
  readonly child: ChildProcess;
  readonly address: string;
  readonly lines: Interface;
}

async function openUser(t: TestContext, folder: string): Promise<User> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const [address] = (await Promise.race([once(lines, 'line'), once(lines, 'close').then(() => [''])])) as [string];
  assert.notEqual(address, '', 'the server did not start');
  return { child, address, lines };
}

async function end({ child }: User, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  child.kill(signal);
  await once(child, 'exit');
}

const serverPid = (folder: string): number =>
  (JSON.parse(readFileSync(join(folder, 'temporal.json'), 'utf8')) as { server: number }).server;

async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const latest = Date.now() + 30_000; Date.now() < latest; await sleep(100)) if (await condition()) return;
  assert.fail(`not within 30 s: ${what}`);
}

describe('the local Temporal server of a folder', () => {
  test('stays for the programs that still use it, and ends with the last one', async (t) => {
    const folder = makeFolder(t);
    const first = await openUser(t, folder);
    const second = await openUser(t, folder);
    const pid = serverPid(folder);
    assert.equal(second.address, first.address);
    await end(first, 'SIGTERM');
    assert.ok(await answers(second.address), 'the program that started it has ended, another one uses it');
    await end(second, 'SIGTERM');
    assert.equal(isAlive(pid), false);
  });

  test('ends when all its programs are killed', async (t) => {
    const folder = makeFolder(t);
    const users = [await openUser(t, folder), await openUser(t, folder)] as const;
    const pid = serverPid(folder);
    await end(users[0], 'SIGKILL');
    await sleep(2_500);
    assert.ok(await answers(users[1].address));
    await end(users[1], 'SIGKILL');
    await until('the server ends', () => !isAlive(pid));
  });

  test('is started again at its address when it is killed, by one of its programs', async (t) => {
    const folder = makeFolder(t);
    const users = [await openUser(t, folder), await openUser(t, folder)] as const;
    const pid = serverPid(folder);
    process.kill(pid, 'SIGKILL');
    await until('another server answers', async () => serverPid(folder) !== pid && (await answers(users[0].address)));
    const again = serverPid(folder);
    await end(users[0], 'SIGTERM');
    assert.ok(await answers(users[1].address));
    await end(users[1], 'SIGTERM');
    assert.equal(isAlive(again), false);
  });

  test('is reported as lost when its address was taken meanwhile', async (t) => {
    const folder = makeFolder(t);
    const user = await openUser(t, folder);
    const port = Number(user.address.split(':')[1]);
    const taker = createServer();
    const take = setInterval(() => taker.listening || taker.listen(port, '127.0.0.1'), 5);
    taker.on('error', () => undefined);
    t.after(() => {
      clearInterval(take);
      taker.close();
    });
    process.kill(serverPid(folder), 'SIGKILL');
    const [line] = (await once(user.lines, 'line')) as [string];
    assert.match(line, /^LOST The local Temporal server at .* ended and could not be started again .*used by another/);
    await end(user, 'SIGTERM');
  });

  test('is never that of another folder, also when both start in the same moment', async (t) => {
    const folders = [makeFolder(t), makeFolder(t), makeFolder(t)];
    const users = await Promise.all(folders.map((folder) => openUser(t, folder)));
    assert.equal(new Set(users.map(({ address }) => address)).size, 3, users.map(({ address }) => address).join(', '));
    assert.equal(new Set(folders.map(serverPid)).size, 3);
    await Promise.all(users.map((user) => end(user, 'SIGTERM')));
  });
});
