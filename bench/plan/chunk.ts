import type { ObservedEntry } from '../../src/ledger/crawl/found.ts';
import type { Observation } from '../../src/ledger/crawl/observe.ts';
import type { LocBytes } from '../../src/ledger/crawl/read-sitemap.ts';
import type { Url } from '../../src/url/normalize-url.ts';

/** Pages of a sitemap as a crawler has them: bytes, and where the URL of each page is. */
export interface Chunk {
  readonly bytes: Buffer;
  readonly fields: readonly LocBytes[];
  readonly entries: readonly ObservedEntry[];
}

type Recognizer = NonNullable<Awaited<ReturnType<Observation['recognizer']>>>;

export function toChunk(made: readonly ObservedEntry[]): Chunk {
  let text = '';
  const fields = made.map(({ url }) => {
    const locFrom = text.length;
    text += url;
    return { locFrom, locTo: text.length };
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
  const order = fields.map((each, n) => {
    const { version } = entries[n]!;
    const next = recognizer.findNext(bytes, each, version);
    if (next !== -1) return next;
    const { locFrom: from, locTo: to } = each;
    return recognizer.find({ bytes, from, to }, version);
  });
  return { entries: entries.filter((_, n) => order[n] === -1), order };
}
