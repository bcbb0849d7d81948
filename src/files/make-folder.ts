import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing. Node's own recursive mkdir never ends where the system says that a
 * folder is missing which is there, as Linux does below /proc. `mode`: of the folders that are made.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process was faster.
    if (code === 'EEXIST' && isFolder(path)) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || isFolder(above)) throw error;
    makeFolder(above, mode);
    mkdirSync(path, { mode });
  }
}

/** What only its owner may read. */
export const makePrivateFolder = (path: string): void => makeFolder(path, 0o700);

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
