import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { CommandError, EXIT } from '../cli-kit/exit-codes.ts';
import { parseSource } from '../sitemap/crawl.ts';
import { parseRfc822Date, parseW3cDate } from '../sitemap/lastmod.ts';
import { DatedPages } from './output/dated-pages.ts';

/**
 * Reads what `courier crawl --json` has printed into a file. Undefined for anything else, such as a sitemap. Throws a usage
 * error for a record that is damaged. A file that was cut off has no summary and is not complete.
 */
export async function readSavedCrawl(name: string): Promise<DatedPages | undefined> {
  const source = parseSource(name);
  if (source.kind === 'http' || source.path === '-') return undefined;
  const input = createReadStream(source.path);
  const pages = new DatedPages();
  let line = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      if (line === 1 && !text.startsWith('{"type":"version"')) return undefined;
      if (text !== '') addRecord(pages, parseRecord(text, name, line));
    }
  } finally {
    input.destroy();
  }
  return line === 0 ? undefined : pages;
}

function addRecord(
  pages: DatedPages,
  { type, loc, url = loc, lastmod, complete }: Readonly<Record<string, unknown>>,
): void {
  if (type === 'summary') pages.complete = complete === true;
  if (type !== 'url' || typeof url !== 'string') return;
  const date = typeof lastmod === 'string' ? lastmod : null;
  pages.add(url, date, date === null ? null : (parseW3cDate(date) ?? parseRfc822Date(date)));
}

function parseRecord(text: string, name: string, line: number): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    throw new CommandError(
      EXIT.usage,
      `${name}:${line} is not a record of courier crawl --json. Nothing was compared.`,
    );
  }
}
