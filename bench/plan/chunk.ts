import type { ObservedEntry } from '../../src/ledger/crawl/found.ts';
import type { Observation } from '../../src/ledger/crawl/observe.ts';
import type { RecordBytes } from '../../src/ledger/crawl/read-sitemap.ts';
import type { Url } from '../../src/url/normalize-url.ts';

/** Pages of a sitemap as a crawler has them: bytes, and where the URL and the lastmod of each page are. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly fields: readonly RecordBytes[];
  readonly entries: readonly ObservedEntry[];
}

type Recognizer = NonNullable<Awaited<ReturnType<Observation['recognizer']>>>;

export function toChunk(made: readonly ObservedEntry[]): Chunk {
  let text = '';
  const fields = made.map(({ url, lastmod }) => {
    const locFrom = text.length;
    const locTo = locFrom + url.length;
    text += url + (lastmod ?? '');
    return { locFrom, locTo, lastmodFrom: lastmod === null ? -1 : locTo, lastmodTo: text.length };
  });
  const bytes = Buffer.from(text, 'latin1');
  // Parts of one string, as a crawler makes them.
  const entries = made.map((entry, n) => ({ ...entry, url: text.slice(fields[n]!.locFrom, fields[n]!.locTo) as Url }));
  return { bytes, fields, entries };
}

/** What a crawler hands over of pages of which the last visit may have listed most (src/sitemap/record-collector.ts). */
export function recognize(
  { bytes, fields, entries }: Chunk,
  recognizer: Recognizer | undefined,
): { readonly entries: readonly ObservedEntry[]; readonly order?: readonly number[] } {
  if (recognizer === undefined) return { entries };
  const order = fields.map((each) => {
    const next = recognizer.findNext(bytes, each);
    if (next !== -1) return next;
    const { locFrom: from, locTo: to, lastmodFrom, lastmodTo } = each;
    return recognizer.find({ bytes, from, to }, bytes, lastmodFrom, lastmodTo);
  });
  return { entries: entries.filter((_, n) => order[n] === -1), order };
}
