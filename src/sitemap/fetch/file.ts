import { createReadStream } from 'node:fs';
import { SitemapError } from '../problems.ts';

/** Reads a local file or standard input (`-`). Only for a source that the user named, never for what a sitemap names. */
export async function* openFile(path: string, stdin: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of path === '-' ? stdin : createReadStream(path)) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    }
  } catch (cause) {
    throw new SitemapError('NETWORK', `the file cannot be read: ${(cause as Error).message}`, { cause });
  }
}
