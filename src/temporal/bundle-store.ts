import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder } from '../files/make-folder.ts';

/** A bundle of workflow code, and the digest of each file that it was made from. */
export interface StoredBundle {
  readonly code: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/** What decides how a bundle is made, beside the files in it. */
const BUNDLER = [
  createRequire(import.meta.url).resolve('@temporalio/worker/package.json'),
  fileURLToPath(new URL('./make-bundle.ts', import.meta.url)),
];

/** Files that the bundler read. Those that it only has in memory are left out. */
export function toStoredBundle(code: string, files: Iterable<string>): StoredBundle {
  const inputs: Record<string, string> = {};
  for (const file of [...files, ...BUNDLER]) {
    const digest = digestFile(file);
    if (digest !== null) inputs[file] = digest;
  }
  return { code, inputs };
}

/** The bundle in this file while each of its inputs still has the same content; else null. */
export function findStoredBundle(file: string): StoredBundle | null {
  let stored: StoredBundle;
  try {
    stored = JSON.parse(readFileSync(file, 'utf8')) as StoredBundle;
  } catch (error) {
    // None yet, or a file that another program damaged: the bundle is made again.
    if (error instanceof SyntaxError || isFileError(error)) return null;
    throw error;
  }
  const isCurrent = Object.entries(stored.inputs).every(([input, digest]) => digestFile(input) === digest);
  return isCurrent ? stored : null;
}

/** Replaced as a whole. A folder that cannot be written only means that the next process bundles again. */
export function storeBundle(file: string, bundle: StoredBundle): void {
  const own = `${file}.${process.pid}`;
  try {
    makeFolder(dirname(file));
    writeFileSync(own, JSON.stringify(bundle));
    renameSync(own, file);
  } catch (error) {
    if (!isFileError(error)) throw error;
    if (existsSync(own)) rmSync(own);
  }
}

function digestFile(file: string): string | null {
  try {
    if (!statSync(file).isFile()) return null;
    return createHash('sha256').update(readFileSync(file)).digest('base64url');
  } catch (error) {
    if (isFileError(error)) return null;
    throw error;
  }
}

const isFileError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;
