import { chmodSync, existsSync, statSync } from 'node:fs';

const PRIVATE = 0o600;

/** Takes the file away from every other user of the machine. With what SQLite keeps beside it. */
export function makePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, PRIVATE);
  }
}
