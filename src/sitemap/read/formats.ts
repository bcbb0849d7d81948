import type { SitemapKind } from '../events.ts';
import { CsvReader } from './csv-reader.ts';
import { FeedReader } from './feed-reader.ts';
import { JsonFeedReader } from './json-feed-reader.ts';
import type { DocumentReader, Sink } from './reader.ts';
import { RecordReader } from './record-reader.ts';
import { openRobots } from './robots-reader.ts';
import { openText } from './text-reader.ts';

export interface ReaderOptions {
  /** Whether hreflang alternates are pages. */
  readonly alternates: boolean;
}

export interface Format {
  /** The document itself shows where it ends; lines have no end of their own. */
  readonly hasEnd: boolean;
  open(sink: Sink, options: ReaderOptions): DocumentReader;
}

const records: Format = { hasEnd: true, open: (sink, options) => new RecordReader(sink, options) };
const feed: Format = { hasEnd: true, open: (sink) => new FeedReader(sink) };

/** How each kind of document is read. */
export const FORMATS: Readonly<Record<SitemapKind, Format>> = {
  urlset: records,
  index: records,
  rss: feed,
  atom: feed,
  'json-feed': { hasEnd: true, open: (sink) => new JsonFeedReader(sink) },
  text: { hasEnd: false, open: openText },
  csv: { hasEnd: false, open: (sink) => new CsvReader(sink) },
  robots: { hasEnd: false, open: openRobots },
};
