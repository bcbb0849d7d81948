import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { makePrivateFolder } from '../../files/make-folder.ts';
import type { Detail } from './details.ts';

const compress = promisify(gzip);

/** A file of gzipped JSON Lines that is made when the first details come. */
export interface Archive {
  /** Null until something was kept. */
  readonly file: () => string | null;
  readonly keep: (table: string, details: readonly Detail[]) => Promise<void>;
  close(): Promise<void>;
}

/**
 * Keeps details in a file of its own in this folder, one line each with the name of its `table`. A crash can cut off only
 * the end of the file, which was not removed from the ledger.
 */
export function openArchive(folder: string, now: number): Archive {
  const name = `courier-details-${new Date(now).toISOString().replaceAll(':', '').replace('.', '-')}.jsonl.gz`;
  const file = join(folder, name);
  let handle: Awaited<ReturnType<typeof open>> | null = null;
  return {
    file: () => (handle === null ? null : file),
    async keep(table, details) {
      if (handle === null) {
        makePrivateFolder(folder);
        // A file that is there was written by another process in the same millisecond.
        handle = await open(file, 'wx', 0o600);
      }
      const lines = details.map((detail) => `${JSON.stringify({ table, ...detail })}\n`);
      await handle.appendFile(await compress(lines.join('')));
      await handle.sync();
    },
    async close() {
      await handle?.close();
    },
  };
}
