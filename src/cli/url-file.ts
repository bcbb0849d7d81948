import { readFile } from 'node:fs/promises';
import { CommandError, EXIT } from '../cli-kit/exit-codes.ts';
import { normalizeUrl, type Url } from '../url/normalize-url.ts';

const MOST_MISTAKES = 20;

/**
 * The URLs of a file, one a line; empty lines and those that begin with "#" are skipped. Throws a CommandError with the
 * line of every mistake.
 */
export async function readUrlFile(file: string): Promise<Url[]> {
  const lines = (await readText(file)).split('\n').map((line) => line.trim());
  const urls: Url[] = [];
  const mistakes: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const normal = normalizeUrl(line);
    if (normal.ok) urls.push(normal.url);
    else mistakes.push(`  ${file}:${at + 1} "${line.slice(0, 200)}" is not a page's URL (${normal.reason})`);
  }
  if (mistakes.length === 0) return urls;
  const more = mistakes.length > MOST_MISTAKES ? `\n  and ${mistakes.length - MOST_MISTAKES} more` : '';
  throw new CommandError(
    EXIT.usage,
    `Nothing was changed, because of mistakes in the file:\n${mistakes.slice(0, MOST_MISTAKES).join('\n')}${more}`,
  );
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    throw new CommandError(EXIT.usage, `${file} cannot be read (${code}). Nothing was changed.`);
  }
}
