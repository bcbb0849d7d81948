import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KnownSitemap } from './events.ts';

/** What was kept of earlier visits, a file for each sitemap: what the ledger does for a watch, for a crawl by itself. */
export interface StateDirectory {
  known(sitemap: string): Promise<KnownSitemap | undefined>;
  keep(sitemap: string, known: KnownSitemap): Promise<void>;
}

export async function openStateDirectory(folder: string): Promise<StateDirectory> {
  await mkdir(folder, { recursive: true });
  const toPath = (sitemap: string) =>
    join(folder, `${createHash('sha256').update(sitemap).digest('hex').slice(0, 32)}.json`);
  return {
    async known(sitemap) {
      try {
        const kept = JSON.parse(await readFile(toPath(sitemap), 'utf8')) as { sitemap?: string } & KnownSitemap;
        return kept.sitemap === sitemap && typeof kept.fingerprint === 'string' ? kept : undefined;
      } catch (error) {
        // A file that is damaged means that the sitemap is read again, and nothing worse.
        if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    async keep(sitemap, { kind, urls, fingerprint, etag, lastModified, location, children }) {
      const kept = { sitemap, kind, urls, fingerprint, etag, lastModified, location, children };
      const file = toPath(sitemap);
      // A crawl that is killed here leaves the old file or the new one, never half of one.
      await writeFile(`${file}.${process.pid}`, `${JSON.stringify(kept)}\n`);
      await rename(`${file}.${process.pid}`, file);
    },
  };
}
