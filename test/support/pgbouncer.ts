import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/temporal/free-port.ts';
import type { Cleanup } from './cleanup.ts';
import { findOtherUser } from './postgres-server.ts';

/** The program, or null where it is not installed. */
export function findPgBouncer(): string | null {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];
  return folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path)) ?? null;
}

const READY_MS = 60_000;

/** Starts a pooler in transaction mode with two connections to Postgres. Returns the URL to connect to instead. */
export async function startPgBouncer(t: Cleanup, program: string, postgres: string): Promise<URL> {
  const folder = mkdtempSync(join(tmpdir(), 'courier-pgbouncer-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const target = new URL(postgres);
  const port = await freePort();
  const user = decodeURIComponent(target.username);
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(join(folder, 'users.txt'), `"${user}" "${decodeURIComponent(target.password)}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${target.hostname} port=${target.port === '' ? 5432 : target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
`,
  );
  // It refuses to run as root.
  const other = process.getuid?.() === 0 ? findOtherUser() : null;
  if (other !== null) for (const path of [folder, settings]) chownSync(path, other.uid, other.gid);
  const child = spawn(program, [settings], { cwd: folder, ...(other ?? {}), stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(async () => {
    if (child.exitCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });
  await waitUntilReady(child, port);
  const url = new URL(postgres);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url;
}

async function waitUntilReady(child: ChildProcess, port: number): Promise<void> {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-1_000);
  });
  for (const end = Date.now() + READY_MS; !(await accepts(port)); await sleep(50)) {
    if (child.exitCode !== null || Date.now() > end) throw new Error(`PgBouncer did not start: ${log}`);
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
