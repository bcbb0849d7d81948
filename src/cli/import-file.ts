import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { UsageError } from '../cli-kit/exit-codes.ts';
import type { Config, Watch } from '../config/config.ts';
import { fromDigest } from '../ledger/forgotten/forgotten-url.ts';
import type { ImportedUrl } from '../ledger/jobs/import-purchases.ts';
import { parseW3cDate } from '../sitemap/lastmod.ts';
import type { WatchId } from '../submission/ids.ts';
import { normalizeUrl } from '../url/normalize-url.ts';
import { findLineFault } from '../url/url-line.ts';
import { FileMistakes } from './file-mistakes.ts';

export interface ImportLine {
  readonly watch: Watch;
  readonly url: ImportedUrl;
}

export interface ImportOptions {
  readonly config: Config;
  /** The watch of every line; null: each line names its own. */
  readonly watch: Watch | null;
  /** When a URL was bought of which the file does not say it. */
  readonly now: number;
}

/**
 * The lines of an export (`courier ledger export`), or of a plain list with one URL in each line. Throws a CommandError
 * with the line of every mistake, at the end of the file: whoever writes while reading must read it once before.
 */
export async function* readImportFile(file: string, options: ImportOptions): AsyncGenerator<ImportLine> {
  const mistakes = new FileMistakes(file);
  let line = 0;
  for await (const text of openLines(file)) {
    line += 1;
    const parsed = parseLine(text.trim(), options);
    if (parsed === null) continue;
    if (typeof parsed !== 'string') {
      yield parsed;
      continue;
    }
    mistakes.add(line, parsed);
  }
  mistakes.throwIfAny('Nothing was imported');
}

async function* openLines(file: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    throw new UsageError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Nothing was imported.`);
  }
}

/** Null for a line that holds no URL; a text says what is wrong. */
function parseLine(text: string, { config, watch: all, now }: ImportOptions): ImportLine | string | null {
  if (text === '' || text.startsWith('#')) return null;
  if (!text.startsWith('{')) {
    if (all === null) return 'names no watch: give the watch of a list of URLs with --watch';
    if (findLineFault(text) !== null)
      return `"${text.slice(0, 200)}" is not one URL and nothing else; write a space in a URL as %20`;
    return toLine(all, text, { state: 'known', generation: 1, failures: 0, boughtAt: now, version: null });
  }
  let record: Readonly<Record<string, unknown>>;
  try {
    record = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
  if (record.type === 'version' || record.type === 'summary') return null;
  if (record.type !== 'purchased_url' && record.type !== 'forgotten_url')
    return `is of type ${JSON.stringify(record.type)}, not "purchased_url"`;
  const watch = all ?? config.watches.get(record.watch as WatchId);
  if (watch === undefined) {
    return `names the watch ${JSON.stringify(record.watch)}, which the configuration does not have; give one with --watch`;
  }
  const { url, digest, generation, lastmod } = record;
  const forgotten = record.type === 'forgotten_url' ? fromDigest(String(digest)) : null;
  if (record.type === 'forgotten_url' && forgotten === null) return 'has no digest of 64 hexadecimal digits';
  if (forgotten === null && typeof url !== 'string') return 'has no url';
  if (typeof generation !== 'number' || !Number.isSafeInteger(generation) || generation < 1) return 'has no generation';
  if (lastmod !== null && typeof lastmod !== 'string') return 'has no lastmod (null without one)';
  const boughtAt = toTime(record.bought_at);
  if (boughtAt === undefined) return 'has a bought_at that is no date';
  const state = toState(record.state);
  const failures = record.failures ?? 0;
  if (typeof failures !== 'number' || !Number.isSafeInteger(failures) || failures < 0)
    return 'has failures that are no number';
  const rest = {
    state,
    generation,
    failures,
    boughtAt: boughtAt ?? now,
    version: lastmod === null ? null : parseW3cDate(lastmod),
  };
  return forgotten === null ? toLine(watch, String(url), rest) : { watch, url: { url: forgotten, ...rest } };
}

function toLine(watch: Watch, text: string, rest: Omit<ImportedUrl, 'url'>): ImportLine | string {
  const normal = normalizeUrl(text);
  if (!normal.ok) return `"${text.slice(0, 200)}" is not a URL that can be submitted (${normal.reason})`;
  return { watch, url: { url: normal.url, ...rest } };
}

function toTime(value: unknown): number | null | undefined {
  if (value === null || value === undefined) return null;
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** What was on its way counts as bought: whether it is, the ledger that sent it learns. */
const toState = (state: unknown): ImportedUrl['state'] =>
  state === 'completed' || state === 'failed' || state === 'quarantined' ? state : 'known';
