import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from './is-alive.ts';

/** The processes that use the local server of a folder: one file each, named by process id. */

const getUsersFolder = (folder: string): string => join(folder, 'temporal.users');

export function addUser(folder: string): void {
  mkdirSync(getUsersFolder(folder), { recursive: true });
  writeFileSync(join(getUsersFolder(folder), String(process.pid)), '');
}

export function removeUser(folder: string): void {
  rmSync(join(getUsersFolder(folder), String(process.pid)), { force: true });
}

/** Other live processes that use the server. Deletes the files of dead ones. */
export function listOtherUsers(folder: string): number[] {
  mkdirSync(getUsersFolder(folder), { recursive: true });
  const pids = readdirSync(getUsersFolder(folder)).map(Number).filter(Number.isSafeInteger);
  for (const pid of pids) {
    if (!isAlive(pid)) rmSync(join(getUsersFolder(folder), String(pid)), { force: true });
  }
  return pids.filter((pid) => pid !== process.pid && isAlive(pid));
}

/** Ends the server when all its users are dead, and itself when the server has ended. */
const GUARD = `
while sleep 1; do
  kill -0 "$2" 2>/dev/null || exit 0
  used=
  for file in "$1"/*; do
    if kill -0 "\${file##*/}" 2>/dev/null; then used=1; break; fi
  done
  if [ -z "$used" ]; then kill "$2"; exit 0; fi
done`;

/**
 * Supervises a server whose users may all be killed, which none of their handlers would see. A shell costs a megabyte;
 * without one (Windows) the folder's next program takes the server over.
 */
export function guardServer(folder: string, server: number): void {
  if (process.platform === 'win32') return;
  spawn('/bin/sh', ['-c', GUARD, 'courier-temporal-guard', getUsersFolder(folder), String(server)], {
    stdio: 'ignore',
    detached: true,
    cwd: '/',
  }).unref();
}
