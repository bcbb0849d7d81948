import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { KnownSitemap } from './events.ts';

/** What earlier crawls kept, one file per sitemap: for `courier crawl --state` what the ledger is for a watch. */
export interface StateDirectory {
  known(sitemap: string): Promise<KnownSitemap | undefined>;
  keep(sitemap: string, known: KnownSitemap): Promise<void>;
}

/** The folder cannot be used. Nothing was fetched, or nothing more will be. */
export class StateDirectoryError extends Error {
  override readonly name = 'StateDirectoryError';
}

/** Throws StateDirectoryError. */
export async function openStateDirectory(folder: string): Promise<StateDirectory> {
  const fail = (cause: unknown): never => {
    throw new StateDirectoryError(`The state folder ${folder} cannot be used: ${(cause as Error).message}`, { cause });
  };
  await makeFolder(resolve(folder)).catch(fail);
  const toPath = (sitemap: string) =>
    join(folder, `${createHash('sha256').update(sitemap).digest('hex').slice(0, 32)}.json`);
  return {
    async known(sitemap) {
      try {
        return parseKept(JSON.parse(await readFile(toPath(sitemap), 'utf8')), sitemap);
      } catch (error) {
        // A damaged file only means that the sitemap is read again.
        if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        return fail(error);
      }
    },
    async keep(sitemap, known) {
      const { kind, urls, fingerprint, etag, lastModified, location, children, bytes, tookMs } = known;
      const kept = { sitemap, kind, urls, fingerprint, etag, lastModified, location, children, bytes, tookMs };
      const file = toPath(sitemap);
      // A crawl that is killed here leaves the old file or the new one, never half a file.
      try {
        await writeFile(`${file}.${process.pid}`, `${JSON.stringify(kept)}\n`);
        await rename(`${file}.${process.pid}`, file);
      } catch (error) {
        fail(error);
      }
    },
  };
}

/** Creates a folder and those above it. Node's own recursive mkdir never returns for a folder below /proc. */
async function makeFolder(folder: string): Promise<void> {
  try {
    if ((await stat(folder)).isDirectory()) return;
    throw new Error('it is not a folder');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
  }
  await makeFolder(dirname(folder));
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** What a file holds, or undefined when it is of another sitemap or damaged. */
function parseKept(kept: unknown, sitemap: string): KnownSitemap | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  const { sitemap: name, fingerprint, kind, children, ...counts } = kept as Readonly<Record<string, unknown>>;
  if (name !== sitemap || typeof fingerprint !== 'string' || typeof kind !== 'string') return undefined;
  if (![counts.urls, counts.bytes, counts.tookMs].every((count) => typeof count === 'number')) return undefined;
  const isList = Array.isArray(children) && children.every((child) => typeof child === 'string' && URL.canParse(child));
  return children === undefined || isList ? (kept as KnownSitemap) : undefined;
}
