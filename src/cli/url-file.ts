import { readFile } from 'node:fs/promises';
import { UsageError } from '../cli-kit/exit-codes.ts';
import { normalizeUrl, type Url } from '../url/normalize-url.ts';
import { findLineFault } from '../url/url-line.ts';
import { FileMistakes } from './file-mistakes.ts';

/**
 * The URLs of a file, one a line; empty lines and those that begin with "#" are skipped. Throws a CommandError with the
 * line of every mistake.
 */
export async function readUrlFile(file: string): Promise<Url[]> {
  const lines = (await readText(file)).split('\n').map((line) => line.trim());
  const urls: Url[] = [];
  const mistakes = new FileMistakes(file);
  for (const [at, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const normal = normalizeUrl(line);
    if (findLineFault(line) !== null)
      mistakes.add(at + 1, `"${line.slice(0, 200)}" is not one URL and nothing else; write a space in a URL as %20`);
    else if (normal.ok) urls.push(normal.url);
    else mistakes.add(at + 1, `"${line.slice(0, 200)}" is not a page's URL (${normal.reason})`);
  }
  mistakes.throwIfAny('Nothing was changed');
  return urls;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    throw new UsageError(`${file} cannot be read (${code}). Nothing was changed.`);
  }
}
