import { SitemapError } from '../problems.ts';
import type { DocumentReader, Sink } from './reader.ts';

/** Feeds hold only the newest pages; a larger document is not one. */
const LIMIT = 16 * 1024 * 1024;
const VERSION = 'https://jsonfeed.org/version/';

/** The version of a JSON Feed at any place of a text; programs escape slashes. */
export const JSON_FEED_VERSION = /"version"\s*:\s*"https?:(?:\\?\/){2}jsonfeed\.org\\?\/version\\?\//;

/**
 * A JSON Feed (version 1 and 1.1), read as a whole. A page is the `url` of an item, else its `id` where that is a URL; its
 * date is `date_modified`, else `date_published`. `external_url` is a page of somebody else. Like the older pages of an Atom
 * feed, `next_url` is not followed. Nothing is read of a document that is no whole JSON.
 */
export class JsonFeedReader implements DocumentReader {
  readonly #sink: Sink;
  readonly #blocks: Buffer[] = [];
  #bytes = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(block: Buffer): void {
    this.#bytes += block.length;
    if (this.#bytes > LIMIT) throw new SitemapError('TOO_LARGE', `the feed is larger than ${LIMIT} bytes`);
    this.#blocks.push(Buffer.from(block));
  }

  end(cut: boolean): void {
    if (cut) return;
    const { version, items } = this.#parse();
    if (typeof version !== 'string' || !version.replace(/^http:/, 'https:').startsWith(VERSION)) {
      throw new SitemapError('NOT_SITEMAP', 'the document is JSON');
    }
    if (!Array.isArray(items)) throw new SitemapError('JSON_MALFORMED', 'the feed has no list of items');
    for (const item of items) this.#item(toFields(item));
  }

  #parse(): Readonly<Record<string, unknown>> {
    try {
      return toFields(JSON.parse(Buffer.concat(this.#blocks).toString('utf8')));
    } catch (cause) {
      throw new SitemapError('JSON_MALFORMED', 'the feed is damaged, or ends too early: nothing of it is read', {
        cause,
      });
    }
  }

  #item({ url, id, date_modified: modified, date_published: published }: Readonly<Record<string, unknown>>): void {
    const loc = toText(url) ?? (/^https?:\/\//i.test(toText(id) ?? '') ? toText(id) : null);
    if (loc !== null) this.#sink.page(loc, toText(modified) ?? toText(published));
    else {
      this.#sink.unusable();
      this.#sink.problem('BAD_URL', 'warning', 'an item without a url');
    }
  }
}

const toFields = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;

const toText = (value: unknown): string | null => {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? null : text;
};
