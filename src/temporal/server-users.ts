import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../files/make-folder.ts';
import { isAlive } from './is-alive.ts';

/**
 * The processes that use the local server of a folder: one file each, named by process id, with the time at which the process
 * began. Another process may get the id of one that was killed.
 */

const getUsersFolder = (folder: string): string => join(folder, 'temporal.users');

export function addUser(folder: string): void {
  makePrivateFolder(getUsersFolder(folder));
  writeFileSync(join(getUsersFolder(folder), String(process.pid)), readBirth(process.pid));
}

export function removeUser(folder: string): void {
  rmSync(join(getUsersFolder(folder), String(process.pid)), { force: true });
}

/** Other live processes that use the server. Deletes the files of dead ones. */
export function listOtherUsers(folder: string): number[] {
  makePrivateFolder(getUsersFolder(folder));
  const pids = readdirSync(getUsersFolder(folder)).map(Number).filter(Number.isSafeInteger);
  const alive = pids.filter((pid) => isUser(folder, pid));
  for (const pid of pids) if (!alive.includes(pid)) rmSync(join(getUsersFolder(folder), String(pid)), { force: true });
  return alive.filter((pid) => pid !== process.pid);
}

function isUser(folder: string, pid: number): boolean {
  if (!isAlive(pid)) return false;
  const born = readBirth(pid);
  const noted = readOrNothing(join(getUsersFolder(folder), String(pid)));
  return born === '' || noted === '' || born === noted;
}

/** When a process began, in the clock of the system; empty where that is not known. */
function readBirth(pid: number): string {
  const stat = process.platform === 'linux' ? readOrNothing(`/proc/${pid}/stat`) : '';
  // After the name in parentheses the third field follows: the twenty-second is the time of the start.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** A file of the server; empty where there is none. */
export function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** Ends the server when all its users are dead, and itself when the server has ended. */
const GUARD = `
users=$1 server=$2
while sleep 1; do
  kill -0 "$server" 2>/dev/null || exit 0
  used=
  for file in "$users"/*; do
    pid=\${file##*/} born= stat=
    kill -0 "$pid" 2>/dev/null || continue
    read -r born 2>/dev/null <"$file"
    if [ -n "$born" ] && read -r stat 2>/dev/null <"/proc/$pid/stat"; then
      set -- \${stat##*) }
      shift 19
      [ "$1" = "$born" ] || continue
    fi
    used=1; break
  done
  if [ -z "$used" ]; then kill "$server"; exit 0; fi
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
