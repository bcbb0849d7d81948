import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';

/** An entry in scope, with a normalized URL. */
export interface ObservedEntry {
  readonly url: Url;
  /** When the sitemap says that it changed; null where it names no time. What lies more than a day ahead is unknown, too. */
  readonly version: Version | null;
}

/** Where entries were found. */
export interface EntrySource {
  readonly runId: number;
  readonly watchId: number;
  readonly sitemapId: number;
  /** First run with `baseline`: what is found is adopted, not due. */
  readonly adopt: boolean;
}

/** Entries with their fingerprints, waiting to be written. */
export interface Found {
  readonly length: number;
  entry(at: number): ObservedEntry;
  key(at: number): bigint;
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
