import type { Url } from '../url/normalize-url.ts';
import { type BadUrlReason, isNormal, normalizeUrl } from '../url/normalize-url.ts';
import type { Problem, SitemapEntry, SitemapKind } from './events.ts';
import { parseRfc822Date, parseW3cDate } from './lastmod.ts';
import { type ProblemCode, type Severity, SitemapError } from './problems.ts';
import type { Sink } from './read/reader.ts';

/** sitemaps.org: no more in one sitemap. */
const PROTOCOL_URLS = 50_000;
/** Twenty times that: no file of an honest site, whatever the limit of the crawl is. */
const MOST_URLS = 1_000_000;
/** A date-only lastmod may be a day ahead in the zone that it was written in. */
const FUTURE_MS = 86_400_000;

/** Pages that one crawl may still give out, over all its sitemaps. */
export interface Budget {
  urls: number;
  /** A page was refused: nothing more needs to be opened. */
  isSpent: boolean;
  readonly maxUrls: number;
  readonly maxSitemaps: number;
}

export interface CollectorOptions {
  readonly sitemap: string;
  /** What relative texts are resolved against; undefined for a local file. */
  readonly base: string | undefined;
  readonly budget: Budget;
  readonly now: number;
  /** Pages given out by an earlier try that broke off: not given out again. */
  readonly skip: number;
}

const WHY_BAD: Record<BadUrlReason, string> = {
  empty: 'a record whose <loc> is empty',
  'too-long': 'a URL longer than 2,048 characters',
  scheme: 'a URL that is not http or https',
  credentials: 'a URL with a user name or password in it (not shown)',
  'no-base': 'a relative URL in a file that has no address',
  malformed: 'a text that is no URL',
};

/** What one visit of one sitemap brings: pages in batches, sitemaps, and problems of one kind counted as one. */
export class RecordCollector implements Sink {
  readonly #options: CollectorOptions;
  readonly #problems = new Map<string, Problem & { count: number }>();
  readonly #children = new Set<string>();
  #batch: SitemapEntry[] = [];
  kind: SitemapKind | undefined;
  /** Pages found, those of an earlier try included. */
  pages = 0;
  #refused = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  page(loc: string, lastmod: string | null): void {
    const { base, budget, skip } = this.#options;
    // Nearly every loc is its own normal form, and then nothing is made of it.
    const normal = isNormal(loc) ? undefined : normalizeUrl(loc, base);
    if (normal !== undefined && !normal.ok && !(normal.reason === 'no-base' && base === undefined)) {
      this.#refuse(loc, normal.reason, 'warning');
      return;
    }
    this.pages += 1;
    if (this.pages <= skip) return;
    if (budget.urls >= budget.maxUrls) {
      budget.isSpent = true;
      this.pages -= 1;
      throw new SitemapError('TOO_MANY_URLS', `more than ${budget.maxUrls} pages, the limit of this crawl`);
    }
    if (this.pages > MOST_URLS) {
      this.pages -= 1;
      throw new SitemapError('TOO_MANY_URLS', `more than ${MOST_URLS} pages in one sitemap`);
    }
    budget.urls += 1;
    if (this.pages === PROTOCOL_URLS + 1) {
      this.problem('TOO_MANY_URLS', 'warning', `more than the ${PROTOCOL_URLS} pages of the protocol; reading goes on`);
    }
    const lastmodAt = lastmod === null ? null : this.#date(lastmod);
    if (normal === undefined) this.#batch.push({ loc, url: loc as Url, lastmod, lastmodAt });
    else if (normal.ok && normal.relative === undefined) this.#batch.push({ loc, url: normal.url, lastmod, lastmodAt });
    else this.#batch.push({ loc, url: normal.ok ? normal.url : null, relative: true, lastmod, lastmodAt });
  }

  child(loc: string): void {
    const normal = normalizeUrl(loc, this.#options.base);
    if (!normal.ok) {
      this.#refuse(loc, normal.reason, 'error');
      return;
    }
    if (this.#children.size >= this.#options.budget.maxSitemaps) {
      throw new SitemapError(
        'TOO_MANY_SITEMAPS',
        `more than ${this.#options.budget.maxSitemaps} sitemaps, the limit of this crawl`,
      );
    }
    // Kept for long, so it must not keep the block alive that it was read from.
    this.#children.add(Buffer.from(normal.url, 'latin1').toString('latin1'));
  }

  problem(code: ProblemCode, severity: Severity, message: string, at?: number): void {
    const key = `${code} ${severity}`;
    const before = this.#problems.get(key);
    if (before !== undefined) before.count += 1;
    else {
      const where = at === undefined ? message : `${message}, at byte ${at}`;
      this.#problems.set(key, { sitemap: this.#options.sitemap, code, severity, message: where, count: 1 });
    }
  }

  /** The pages gathered since the last call. */
  takeBatch(): SitemapEntry[] {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  get gathered(): number {
    return this.#batch.length;
  }

  get children(): readonly string[] {
    return [...this.#children];
  }

  /** After the last byte: a sitemap that names nothing is never passed over in silence. */
  finish(): void {
    const { kind } = this;
    if (this.#children.size > 0 || this.pages > 0 || this.firstError !== undefined) return;
    if (kind === 'robots') this.problem('NO_SITEMAPS', 'error', 'the robots.txt names no sitemap');
    else if (kind === 'index') this.problem('NO_SITEMAPS', 'error', 'the index names no sitemap');
    else if (this.#refused > 0) this.problem('EMPTY', 'error', 'none of its records is a page that can be used');
    else this.problem('EMPTY', 'warning', 'the sitemap is whole and names no page');
  }

  get problems(): Problem[] {
    return [...this.#problems.values()].map(({ count, ...problem }) => (count === 1 ? problem : { ...problem, count }));
  }

  get firstError(): Problem | undefined {
    return this.#problems.values().find(({ severity }) => severity === 'error');
  }

  #refuse(loc: string, reason: BadUrlReason, severity: Severity): void {
    this.#refused += 1;
    const shown = reason === 'credentials' || reason === 'empty' || loc.includes('@') ? '' : `: ${loc.slice(0, 120)}`;
    this.problem('BAD_URL', severity, `${WHY_BAD[reason]}${shown}`);
  }

  #date(lastmod: string): number | null {
    const at = this.kind === 'rss' ? (parseRfc822Date(lastmod) ?? parseW3cDate(lastmod)) : parseW3cDate(lastmod);
    if (at === null) this.problem('LASTMOD_INVALID', 'warning', `"${lastmod.slice(0, 60)}" is no W3C date`);
    else if (at > this.#options.now + FUTURE_MS) {
      this.problem('LASTMOD_FUTURE', 'warning', `${lastmod} is in the future`);
    }
    return at;
  }
}
