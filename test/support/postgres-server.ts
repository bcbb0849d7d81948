import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/database/open.ts';
import { raw, sql } from '../../src/database/sql.ts';
import { freePort } from '../../src/temporal/free-port.ts';

export interface PostgresServer {
  readonly url: string;
  readonly version: string;
  /** The process that is the parent of all of its processes. */
  readonly pid: number;
  /**
   * Immediate stop, as after a power cut: nothing is finished. Starts again after the pause and recovers from its log;
   * null: it stays down.
   */
  crash(pauseMs: number | null): Promise<void>;
  /** Makes a standby take writes. */
  promote(): Promise<void>;
  /** Ends every connection and starts again with the same files and port; resolves once it answers. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Where packages put the server's programs, which are not on PATH everywhere. */
const FOLDERS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
];

/** The folder of initdb and postgres, the newest where there are several; null: Postgres is not installed. */
export function findPostgresPrograms(): string | null {
  const onPath = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  const installed = FOLDERS.flatMap((pattern) => globSync(pattern)).toSorted((a, b) => toMajor(b) - toMajor(a));
  return (
    [...onPath, ...installed].find((folder) =>
      ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
    ) ?? null
  );
}

/** A folder on PATH may hold links to some of the programs only: the others are beside what the links name. */
function findProgram(programs: string, name: string): string {
  const path = join(programs, name);
  return existsSync(path) ? path : join(dirname(realpathSync(join(programs, 'postgres'))), name);
}

const toMajor = (folder: string): number => Number(/(\d+)[^\d]*$/.exec(dirname(folder))?.[1] ?? 0);

/** Postgres refuses to run as root: then it runs as this user. */
const OTHER_USERS = ['postgres', 'nobody'];

export function findOtherUser(): { uid: number; gid: number } | null {
  for (const name of OTHER_USERS) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid!.status === 0 && gid!.status === 0) return { uid: Number(uid!.stdout), gid: Number(gid!.stdout) };
  }
  return null;
}

export interface PostgresOptions {
  /** Flushes to disk, as a server that holds money does. Default: nothing is flushed. */
  readonly durable?: boolean;
  /** Copies this server and follows it; every commit there waits for the copy from then on. Default: an empty server. */
  readonly standbyOf?: PostgresServer;
  /** More settings, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/** Starts a server on loopback, for tests only. Gone with its files after `stop`. */
export async function startPostgres(
  programs: string,
  { durable = false, standbyOf, settings: more = {} }: PostgresOptions = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'courier-postgres-'));
  const data = join(folder, 'data');
  const user = process.getuid?.() === 0 ? findOtherUser() : null;
  if (process.getuid?.() === 0 && user === null) throw new Error(`there is no user ${OTHER_USERS.join(' or ')}`);
  if (user !== null) chownSync(folder, user.uid, user.gid);
  chmodSync(folder, 0o700);
  const as = { cwd: folder, ...(user ?? {}) };
  const create = (program: string, args: readonly string[]) => {
    try {
      execFileSync(findProgram(programs, program), args, { ...as, stdio: ['ignore', 'ignore', 'pipe'] });
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  };
  if (standbyOf === undefined)
    create('initdb', ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']);
  else create('pg_basebackup', ['-d', standbyOf.url, '-D', data, '-R', '--checkpoint=fast', '--no-sync']);
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    ...(durable ? {} : NOT_DURABLE),
    ...more,
  };
  const start = () =>
    spawn(
      join(programs, 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      // A group of its own: Ctrl-C on the terminal must not end it before the tests.
      { ...as, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
    );
  let child = start();
  const kill = () => child.kill('SIGQUIT');
  process.on('exit', kill);
  const end = async (signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const version = await waitUntilReady(child, url);
  if (standbyOf !== undefined) await waitForCopies(standbyOf.url);
  return {
    url,
    version,
    get pid() {
      return child.pid ?? 0;
    },
    async crash(pauseMs) {
      await end('SIGQUIT');
      if (pauseMs === null) return;
      await sleep(pauseMs);
      child = start();
      await waitUntilReady(child, url);
    },
    promote: () => runAlone(url, 'SELECT pg_promote()'),
    async restart() {
      await end();
      child = start();
      await waitUntilReady(child, url);
    },
    async stop() {
      process.off('exit', kill);
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** From now on a commit waits until a standby has it, so that a failover loses none. */
async function waitForCopies(url: string): Promise<void> {
  await runAlone(url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await runAlone(url, 'SELECT pg_reload_conf()');
}

async function runAlone(url: string, statement: string): Promise<void> {
  const db = openDatabase(url);
  try {
    await db.run(raw(statement));
  } finally {
    await db.close();
  }
}

/** A server with gigabytes of log that was stopped at once reads them first. */
const READY_MS = 180_000;

/** Its version once it answers. */
async function waitUntilReady(child: ChildProcess, url: string): Promise<string> {
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-1_000);
  });
  for (const end = Date.now() + READY_MS; ; await sleep(100)) {
    const db = openDatabase(url);
    try {
      const row = await db.get(sql<{ version: string }>`SELECT current_setting('server_version') AS version`);
      return row?.version ?? 'of an unknown version';
    } catch (error) {
      if (child.exitCode !== null || Date.now() > end)
        throw new Error(`Postgres did not start: ${log}`, { cause: error });
    } finally {
      await db.close();
    }
  }
}
