import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answers, startDevServer } from './dev-server.ts';
import { isAlive } from './is-alive.ts';

/** A local Temporal server of a state folder, as every program of the folder finds it. */
export interface LocalServer {
  readonly address: string;
  readonly uiUrl: string | null;
  /** Ends the server if this process keeps it; one that another process keeps stays. */
  stop(): Promise<void>;
}

/** What the keeper of the server writes beside the ledger. */
interface ServerNote {
  readonly address: string;
  readonly uiUrl: string | null;
  /** The server's process. */
  readonly server: number;
  /** The process that keeps it: that started it, or took it over from one that was killed. */
  readonly keeper: number;
}

const START_TIMEOUT_MS = 60_000;

/** The address of the folder's server while it runs; null when none does. */
export function localAddress(folder: string): string | null {
  const note = readNote(folder);
  return note !== null && isOwnServer(note.server, folder) ? note.address : null;
}

/**
 * The one local server of a folder: joined where another process keeps one, taken over where a killed one left it
 * behind, else started on the folder's file. Two servers never share that file.
 */
export async function openLocalServer(folder: string, binary: () => Promise<string>): Promise<LocalServer> {
  mkdirSync(folder, { recursive: true });
  for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end; await sleep(200)) {
    if (!claim(folder)) continue;
    try {
      const note = readNote(folder);
      if (note !== null && isOwnServer(note.server, folder) && (await answers(note.address))) {
        if (isAlive(note.keeper) && note.keeper !== process.pid) return { ...note, stop: async () => {} };
        writeNote(folder, { ...note, keeper: process.pid });
        return { ...note, stop: () => endServer(folder, note.server) };
      }
      return await start(folder, await binary());
    } finally {
      rmSync(getLockFile(folder), { force: true });
    }
  }
  throw new Error(
    `Another program has been starting the Temporal server of ${folder} for a minute. Nothing was submitted or ` +
      `charged. Run the command again; if it is the same then, delete ${getLockFile(folder)}.`,
  );
}

async function start(folder: string, binary: string): Promise<LocalServer> {
  const server = await startDevServer({ binary, file: getStateFile(folder), port: 7233, uiPort: 8233 });
  const { address, uiUrl } = server;
  writeNote(folder, { address, uiUrl, server: server.process.pid ?? 0, keeper: process.pid });
  return {
    address,
    uiUrl,
    async stop() {
      await server.stop();
      rmSync(getNoteFile(folder), { force: true });
    },
  };
}

/** Ends a server that this process did not start, by its process id and only while it is the folder's. */
async function endServer(folder: string, pid: number): Promise<void> {
  await stopOrphan(pid, getStateFile(folder));
  rmSync(getNoteFile(folder), { force: true });
}

/** Ends a Temporal server that a killed program left behind, when the process is one on this very file. */
export async function stopOrphan(pid: number, file: string): Promise<void> {
  if (!isServerOn(pid, file)) return;
  process.kill(pid, 'SIGTERM');
  for (const end = Date.now() + 10_000; Date.now() < end && isServerOn(pid, file); ) await sleep(100);
}

const getStateFile = (folder: string): string => join(folder, 'temporal.db');
const getNoteFile = (folder: string): string => join(folder, 'temporal.json');
const getLockFile = (folder: string): string => join(folder, 'temporal.lock');

const isOwnServer = (pid: number, folder: string): boolean => isServerOn(pid, getStateFile(folder));

/** A process id may have been given to another program since: its command line tells. */
function isServerOn(pid: number, file: string): boolean {
  const ps = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 && ps.stdout.includes('server start-dev') && ps.stdout.includes(file);
}

/** Only one program at a time looks for the server and starts it. A lock whose holder is gone counts as none. */
function claim(folder: string): boolean {
  try {
    writeFileSync(getLockFile(folder), String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = Number(readText(getLockFile(folder)) || process.pid);
  if (!isAlive(holder)) rmSync(getLockFile(folder), { force: true });
  return false;
}

function readNote(folder: string): ServerNote | null {
  try {
    return JSON.parse(readText(getNoteFile(folder))) as ServerNote;
  } catch {
    return null;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Replaced whole: a reader never sees half of it. */
function writeNote(folder: string, note: ServerNote): void {
  const file = getNoteFile(folder);
  writeFileSync(`${file}.new`, `${JSON.stringify(note)}\n`);
  renameSync(`${file}.new`, file);
}
