import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from './config-error.ts';

export interface ConfigText {
  /** As messages name it. */
  readonly file: string;
  readonly text: string;
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** `courier.d` beside `courier.yaml`. */
const getPartsFolder = (file: string): string => `${file.replace(/\.ya?ml$/i, '')}.d`;

/**
 * The files of a configuration: the one that is named and those of the folder beside it (`courier.d` beside
 * `courier.yaml`), or those of the folder that is named. Together they are one configuration.
 */
export function listConfigFiles(path: string): string[] {
  if (isFolder(path)) return listParts(path);
  const folder = getPartsFolder(path);
  if (!isFolder(folder)) return [path];
  return existsSync(path) ? [path, ...listParts(folder)] : listParts(folder);
}

function listParts(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/i.test(name));
  if (names.length > 0) return names.sort().map((name) => join(folder, name));
  throw new ConfigError(folder, [
    {
      file: folder,
      path: '',
      line: null,
      column: null,
      message: 'this folder has no file whose name ends in .yaml. Create one, or name another folder with --config',
    },
  ]);
}

/** Where relative paths of a configuration start, and where its `.courier` folder is. `courier.d` belongs to the folder that it is in. */
export function getConfigFolder(path: string): string {
  const full = resolve(path);
  return isFolder(full) && !basename(full).endsWith('.d') ? full : dirname(full);
}

export function readConfigFiles(path: string): ConfigText[] {
  return listConfigFiles(path).map((file) => {
    try {
      return { file, text: readFileSync(file, 'utf8') };
    } catch (error) {
      const message =
        (error as NodeJS.ErrnoException).code === 'ENOENT'
          ? 'this file does not exist. "courier init SITE" writes a first one; --config names another'
          : `this file cannot be read (${(error as NodeJS.ErrnoException).code}). Correct its permissions`;
      throw new ConfigError(path, [{ file, path: '', line: null, column: null, message }]);
    }
  });
}
