import type { CrawlEvent } from '../../sitemap/crawl.ts';
import { isLater, type Version } from '../../url/version.ts';

/** The lastmod of a page as text, and the version that it names; null where it cannot be parsed. */
export interface PageDate {
  readonly lastmod: string | null;
  readonly version: Version | null;
}

const NONE: PageDate = { lastmod: null, version: null };

/** The pages of one crawl with their dates, about 200 bytes each; of a page that is named twice the later date. */
export class DatedPages {
  readonly #pages = new Map<string, PageDate>();
  /** Whether the crawl was complete: else pages that are missing here may exist. */
  complete = false;

  on(event: CrawlEvent): void {
    if (event.type === 'summary') this.complete = event.complete;
    if (event.type !== 'entries') return;
    for (const { url, lastmod, version } of event.entries) if (url !== null) this.add(url, lastmod, version);
  }

  add(url: string, lastmod: string | null, version: Version | null): void {
    const known = this.#pages.get(url);
    if (known === undefined) this.#pages.set(copy(url), toDate(lastmod, version));
    else if (lastmod !== null && (known.lastmod === null || isAfter(version, known.version))) {
      this.#pages.set(url, toDate(lastmod, version));
    }
  }

  get(url: string): PageDate | undefined {
    return this.#pages.get(url);
  }

  has(url: string): boolean {
    return this.#pages.has(url);
  }

  get size(): number {
    return this.#pages.size;
  }

  [Symbol.iterator](): Iterator<[string, PageDate]> {
    return this.#pages[Symbol.iterator]();
  }
}

const toDate = (lastmod: string | null, version: Version | null): PageDate =>
  lastmod === null ? NONE : { lastmod: copy(lastmod), version };

const isAfter = (version: Version | null, known: Version | null): boolean =>
  version !== null && (known === null || isLater(version, known));

/** The strings of an entry share the memory of the block that they were read from. */
const copy = (text: string): string => Buffer.from(text).toString();
