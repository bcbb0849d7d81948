import type { CrawlEvent } from '../../sitemap/crawl.ts';
import { isAhead, toLatest, type Version } from '../../url/version.ts';
import type { PageTable } from './page-table.ts';

/** In `#versions`: a page that this crawl does not have. */
const ABSENT = Number.NaN;
/** A page that it has without a date, or with one that names no moment or lies too far ahead. */
const UNKNOWN = 0;

/** The pages of one crawl and their versions, outside of V8's heap: 12 bytes for each page beside its table. */
export class ComparedCrawl {
  readonly #table: PageTable;
  readonly #now: number;
  /** By the number of a page. */
  #versions = new Float64Array(0);
  /** Pages as they were named first. */
  #order = new Uint32Array(64);
  size = 0;
  /** Whether the crawl was complete: else pages that are missing here may exist. */
  complete = false;

  /** `table` is that of both crawls; `now` is the moment that dates are judged by, in milliseconds since 1970. */
  constructor(table: PageTable, now: number) {
    this.#table = table;
    this.#now = now;
  }

  on(event: CrawlEvent): void {
    if (event.type === 'summary') this.complete = event.complete;
    if (event.type !== 'entries') return;
    for (const { url, version } of event.entries) if (url !== null) this.#add(this.#table.place(url), version);
  }

  #add(page: number, version: Version | null): void {
    if (page >= this.#versions.length) {
      const larger = new Float64Array(Math.max(64, page + (page >>> 1))).fill(ABSENT);
      larger.set(this.#versions);
      this.#versions = larger;
    }
    const known = version !== null && !isAhead(version, this.#now) ? version : null;
    const isNamed = this.has(page);
    // Of a page that is named twice the later version, as in the ledger.
    this.#versions[page] = (isNamed ? toLatest(this.getVersion(page), known) : known) ?? UNKNOWN;
    if (isNamed) return;
    if (this.size === this.#order.length) {
      const longer = new Uint32Array(this.size + (this.size >>> 1));
      longer.set(this.#order);
      this.#order = longer;
    }
    this.#order[this.size] = page;
    this.size += 1;
  }

  has(page: number): boolean {
    return !Number.isNaN(this.#versions[page] ?? ABSENT);
  }

  getVersion(page: number): Version | null {
    const version = this.#versions[page] ?? ABSENT;
    return Number.isNaN(version) || version === UNKNOWN ? null : (version as Version);
  }

  /** The numbers of the pages, in the order in which they were named. */
  get pages(): Uint32Array {
    return this.#order.subarray(0, this.size);
  }
}
