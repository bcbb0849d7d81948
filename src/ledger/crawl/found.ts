import type { Url } from '../../url/normalize-url.ts';
import { asKey } from './fingerprint.ts';
import { growingList } from './fingerprint-list.ts';

/** An entry in scope, with a normalized URL. */
export interface ObservedEntry {
  readonly url: Url;
  /** The text as written in the sitemap. */
  readonly lastmod: string | null;
  /** The same as epoch milliseconds; null when it cannot be parsed. */
  readonly lastmodAt: number | null;
}

/** Where entries were found. */
export interface EntrySource {
  readonly runId: number;
  readonly watchId: number;
  readonly sitemapId: number;
  /** First run with `baseline`: what is found is adopted, not due. */
  readonly adopt: boolean;
}

/**
 * Entries with their fingerprints, waiting to be written. The entries are those the crawler made and the fingerprints
 * are packed: what waits for its transaction costs 20 bytes beside the entry itself.
 */
export interface Found {
  readonly length: number;
  entry(at: number): ObservedEntry;
  key(at: number): bigint;
}

export function foundList(): Found & { push(high: number, low: number, entry: ObservedEntry): void } {
  const marks = growingList();
  const entries: ObservedEntry[] = [];
  return {
    get length() {
      return entries.length;
    },
    entry(at) {
      const entry = entries[at];
      if (entry === undefined) throw new RangeError(`no entry ${at} of ${entries.length}`);
      return entry;
    },
    key: (at) => asKey(marks.high(at), marks.low(at)),
    push(high, low, entry) {
      marks.push(high, low, 0);
      entries.push(entry);
    },
  };
}

/** Rows for entries `from` to `to` of a list. */
export function* rowsBetween<Row>(
  found: Found,
  from: number,
  to: number,
  row: (key: bigint, entry: ObservedEntry) => Row,
): Generator<Row> {
  for (let at = from; at < Math.min(to, found.length); at++) yield row(found.key(at), found.entry(at));
}
