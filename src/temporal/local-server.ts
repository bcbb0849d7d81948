import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivateFolder } from '../files/make-folder.ts';
import { answers, startDevServer } from './dev-server.ts';
import { isAlive } from './is-alive.ts';
import { addUser, guardServer, listOtherUsers, readOrNothing, removeUser } from './server-users.ts';
import { TemporalUnreachableError } from './unreachable.ts';

/** The local Temporal server of a state folder, shared by every program of the folder. */
export interface LocalServer {
  readonly address: string;
  readonly uiUrl: string | null;
  /** Aborted, with a TemporalUnreachableError, when the server has ended and cannot be started again at its address. */
  readonly lost: AbortSignal;
  /** Releases the server. The last user ends it; before that it stays for the others. */
  stop(): Promise<void>;
}

/** The file beside the ledger by which programs find the server. */
interface ServerNote {
  readonly address: string;
  readonly uiUrl: string | null;
  /** The server's process. */
  readonly server: number;
}

const START_TIMEOUT_MS = 60_000;
const WATCH_MS = 1_000;

/** The address of the folder's server while it runs; null when none does. */
export function localAddress(folder: string): string | null {
  return findServer(folder)?.address ?? null;
}

/** The Web UI of that server; null without either. */
export const localUi = (folder: string): string | null => findServer(folder)?.uiUrl ?? null;

/**
 * The one local server of a folder: the running one, else one started on the folder's file. Two servers never share that
 * file. All programs that use the server own it: it stays when one exits, and the last one ends it.
 */
export async function openLocalServer(folder: string, binary: () => Promise<string>): Promise<LocalServer> {
  const open = async (ports: Ports): Promise<ServerNote> => {
    const note = findServer(folder);
    const found = note !== null && (await answers(note.address)) ? note : await start(folder, await binary(), ports);
    addUser(folder);
    return found;
  };
  const { address, uiUrl, server } = await underLock(folder, () => open(PORTS));
  const lost = new AbortController();
  let pid = server;
  let watching = false;
  const ticker = setInterval(async () => {
    if (watching || isAlive(pid)) return;
    watching = true;
    try {
      pid = await underLock(folder, () => reopen(folder, address, open));
    } catch (error) {
      clearInterval(ticker);
      lost.abort(lostServer(address, error));
    } finally {
      watching = false;
    }
  }, WATCH_MS);
  ticker.unref();
  return {
    address,
    uiUrl,
    lost: lost.signal,
    async stop() {
      clearInterval(ticker);
      await underLock(folder, () => leave(folder));
    },
  };
}

interface Ports {
  readonly port: number;
  readonly uiPort: number;
}

/** Temporal's default ports, where they are free. */
const PORTS: Ports = { port: 7233, uiPort: 8233 };

/** Restarts the server at the address that its users know. Throws when another program has taken it. */
async function reopen(folder: string, address: string, open: (ports: Ports) => Promise<ServerNote>): Promise<number> {
  const again = await open({ port: Number(address.split(':')[1]), uiPort: PORTS.uiPort });
  if (again.address === address) return again.server;
  await leave(folder);
  throw new Error(`${address} is used by another program`);
}

const lostServer = (address: string, error: unknown): TemporalUnreachableError =>
  new TemporalUnreachableError(
    `The local Temporal server at ${address} ended and could not be started again (${(error as Error).message}). ` +
      'Planned batches are safe in the ledger. Run the command again; it starts a server.',
    { cause: error },
  );

async function start(folder: string, binary: string, ports: Ports): Promise<ServerNote> {
  const {
    address,
    uiUrl,
    process: child,
  } = await startDevServer({
    binary,
    file: getStateFile(folder),
    logFile: join(folder, 'temporal.log'),
    ...ports,
  });
  const note = { address, uiUrl, server: child.pid ?? 0 };
  addUser(folder);
  guardServer(folder, note.server);
  writeNote(folder, note);
  return note;
}

/** Ends the server unless another program uses it. */
async function leave(folder: string): Promise<void> {
  removeUser(folder);
  if (listOtherUsers(folder).length > 0) return;
  const note = readNote(folder);
  if (note !== null) await stopOrphan(note.server, getStateFile(folder));
  rmSync(getNoteFile(folder), { force: true });
}

function findServer(folder: string): ServerNote | null {
  const note = readNote(folder);
  return note !== null && isServerOn(note.server, getStateFile(folder)) ? note : null;
}

/** Only one program at a time finds, starts or releases the server. */
async function underLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  makePrivateFolder(folder);
  for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end; await sleep(200)) {
    if (!claim(folder)) continue;
    try {
      return await work();
    } finally {
      rmSync(getLockFile(folder), { force: true });
    }
  }
  throw new Error(
    `Another program has been starting the Temporal server of ${folder} for a minute. Nothing was submitted or ` +
      `charged. Run the command again. If that fails in the same way, delete ${getLockFile(folder)}.`,
  );
}

/** Ends a Temporal server that a killed program left behind, when that process runs on this very file. */
export async function stopOrphan(pid: number, file: string): Promise<void> {
  if (!isServerOn(pid, file)) return;
  process.kill(pid, 'SIGTERM');
  for (const end = Date.now() + 10_000; Date.now() < end && isServerOn(pid, file); ) await sleep(100);
}

const getStateFile = (folder: string): string => join(folder, 'temporal.db');
const getNoteFile = (folder: string): string => join(folder, 'temporal.json');
const getLockFile = (folder: string): string => join(folder, 'temporal.lock');

/** Checks the command line: the process id may have been reused since. */
function isServerOn(pid: number, file: string): boolean {
  const ps = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 && ps.stdout.includes('server start-dev') && ps.stdout.includes(file);
}

/** Ignores a lock whose holder is gone. */
function claim(folder: string): boolean {
  try {
    writeFileSync(getLockFile(folder), String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = Number(readOrNothing(getLockFile(folder)) || process.pid);
  if (!isAlive(holder)) rmSync(getLockFile(folder), { force: true });
  return false;
}

function readNote(folder: string): ServerNote | null {
  const text = readOrNothing(getNoteFile(folder));
  return text === '' ? null : (JSON.parse(text) as ServerNote);
}

/** Replaced as a whole: a reader never sees a partial file. */
function writeNote(folder: string, note: ServerNote): void {
  const file = getNoteFile(folder);
  writeFileSync(`${file}.new`, `${JSON.stringify(note)}\n`);
  renameSync(`${file}.new`, file);
}
