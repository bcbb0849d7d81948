import { NormalBytes, type UrlBytes } from '../url/normal-bytes.ts';
import { type BadUrlReason, isNormal, type NormalizedUrl, normalizeUrl, type Url } from '../url/normalize-url.ts';
import { isAhead, type Version } from '../url/version.ts';
import type { CrawlEvent, Problem, SitemapEntry, SitemapKind } from './events.ts';
import { parseRfc822Date, parseW3cDate, parseW3cDateBytes } from './lastmod.ts';
import type { PageRecognizer } from './options.ts';
import { type LineBatch, PageLines } from './page-lines.ts';
import { type ProblemCode, type Severity, SitemapError } from './problems.ts';
import type { Block } from './read/block.ts';
import type { Reference, Sink } from './read/reader.ts';
import type { RecordFields } from './read/record-layout.ts';

/** The limit of the protocol for one sitemap. */
const PROTOCOL_URLS = 50_000;
/** Twenty times the limit of the protocol, whatever the limit of the crawl is. No honest site has a file of this size. */
const MAX_URLS = 1_000_000;
/** Bytes from which on a record is mostly other things than its texts, so that those would keep too much of a block alive. */
const LONG_RECORD = 512;

/** The pages that one crawl may still yield, over all its sitemaps. */
export interface Budget {
  urls: number;
  /** A page was refused for this limit, so no further sitemap needs to be opened. */
  isSpent: boolean;
  readonly maxUrls: number;
  readonly maxSitemaps: number;
}

export interface CollectorOptions {
  readonly sitemap: string;
  /** What relative URLs are resolved against; undefined for a local file. */
  readonly base: string | undefined;
  readonly budget: Budget;
  readonly now: number;
  /** Pages that an earlier attempt has emitted; they are not emitted again. */
  readonly skip: number;
  readonly recognizer?: PageRecognizer | undefined;
  /** Collect pages as lines of bytes. */
  readonly lines?: boolean;
}

/** Pages in the order of the document, as an event has them. */
export type PageBatch = Omit<Extract<CrawlEvent, { type: 'entries' }>, 'sitemap'> | LineBatch;

const WHY_BAD: Record<BadUrlReason, string> = {
  empty: 'a record with an empty <loc>',
  'too-long': 'a URL longer than 2,048 characters',
  scheme: 'a URL whose scheme is not http or https',
  credentials: 'a URL with a user name or password (not shown)',
  'no-base': 'a relative URL in a file that has no address',
  malformed: 'a text that is not a URL',
};

/** Collects the records of one sitemap: pages in batches, child sitemaps, and problems with a count for each kind. */
export class RecordCollector implements Sink {
  readonly #options: CollectorOptions;
  readonly #problems = new Map<string, Problem & { count: number }>();
  readonly #children = new Set<string>();
  readonly #url = new NormalBytes();
  readonly #lines: PageLines | undefined;
  #batch: SitemapEntry[] = [];
  #order: number[] = [];
  kind: SitemapKind | undefined;
  /** Records with a loc, including those that an earlier attempt emitted. */
  pages = 0;
  /** The address that a relative URL was resolved against; undefined when none was. */
  usedBase: string | undefined;
  /** Records without a URL that could be submitted. */
  #unusable = 0;
  #usable = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#lines = options.lines === true ? new PageLines() : undefined;
  }

  page(loc: string, lastmod: string | null, reference?: Reference): void {
    // Nearly every loc is its own normal form. Then no second string is made.
    const normal = isNormal(loc) ? undefined : normalizeUrl(loc, this.#resolveBase(reference));
    if (normal?.ok === false && normal.reason !== 'no-base') {
      this.#refuse(loc, normal.reason, 'warning');
      return;
    }
    const url = normal === undefined ? (loc as Url) : this.#toPage(normal, reference);
    this.#count(url !== null);
    if (url === null) {
      const why = reference === undefined ? 'which a sitemap must not hold' : 'and the file has no address';
      this.problem('RELATIVE_URL', 'warning', `a relative URL, ${why}; it is not submitted: ${loc.slice(0, 120)}`);
    }
    if (this.pages <= this.#options.skip) return;
    const isRelative = normal !== undefined && (!normal.ok || normal.relative === true);
    if (isRelative && url !== null) this.usedBase = this.#options.base;
    const version = lastmod === null ? null : this.#parseDate(lastmod);
    this.#add(isRelative ? { loc, url, relative: true, lastmod, version } : { loc, url, lastmod, version });
  }

  /** Takes a page whose URL needs no parser and whose date has no problem; `page` decides all others. */
  rawPage(block: Block, fields: RecordFields): boolean {
    const { locFrom, locTo, lastmodFrom, lastmodTo } = fields;
    const { bytes } = block;
    const hasDate = lastmodFrom !== -1;
    const version = hasDate ? parseW3cDateBytes(bytes, lastmodFrom, lastmodTo) : null;
    if (hasDate && (version === null || isAhead(version, this.#options.now))) return false;
    if (this.pages >= this.#options.skip) {
      const next = this.#options.recognizer?.findNext(bytes, fields, version) ?? -1;
      if (next >= 0) {
        this.#count(true);
        this.#order.push(next);
        return true;
      }
    }
    const url = this.#url;
    if (!url.read(bytes, locFrom, locTo)) return false;
    this.#count(true);
    if (this.pages <= this.#options.skip) return true;
    if (this.#lines !== undefined) {
      this.#lines.add(url);
      return true;
    }
    const known = this.#options.recognizer?.find(url, version) ?? -1;
    if (known >= 0) {
      this.#order.push(known);
      return true;
    }
    // With a recognizer, few pages come to here.
    const alone = this.#options.recognizer !== undefined || fields.end - locFrom > LONG_RECORD;
    const lastmod = hasDate ? block.slice(lastmodFrom, lastmodTo, alone) : null;
    const text = (url.bytes === bytes ? block.slice(url.from, url.to, alone) : toText(url)) as Url;
    const loc = url.hasLetters ? bytes.toString('utf8', locFrom, locTo).replaceAll('&amp;', '&') : text;
    this.#add({ loc, url: text, lastmod, version });
    return true;
  }

  #add(entry: SitemapEntry): void {
    if (this.#lines !== undefined) {
      if (entry.url !== null) this.#lines.addText(entry.url);
      return;
    }
    this.#batch.push(entry);
    if (this.#options.recognizer !== undefined) this.#order.push(-1);
  }

  child(loc: string): void {
    const normal = normalizeUrl(loc, this.#options.base);
    if (!normal.ok) {
      this.#refuse(loc, normal.reason, 'error');
      return;
    }
    const { maxSitemaps } = this.#options.budget;
    if (this.#children.size >= maxSitemaps) {
      throw new SitemapError(
        'TOO_MANY_SITEMAPS',
        `it names more than ${maxSitemaps} sitemaps, the limit of this crawl (--max-sitemaps)`,
      );
    }
    // A copy, because the list is kept long and must not keep alive the block that it was read from.
    this.#children.add(Buffer.from(normal.url, 'latin1').toString('latin1'));
  }

  unusable(): void {
    this.#unusable += 1;
  }

  problem(code: ProblemCode, severity: Severity, message: string, at?: number): void {
    this.#addProblem(`${code} ${severity}`, code, severity, at === undefined ? message : `${message}, at byte ${at}`);
  }

  /** Counts a problem. Problems with one key are one, under the message of the first. */
  #addProblem(key: string, code: ProblemCode, severity: Severity, message: string): void {
    const before = this.#problems.get(key);
    if (before !== undefined) before.count += 1;
    else this.#problems.set(key, { sitemap: this.#options.sitemap, code, severity, message, count: 1 });
  }

  /** Returns the pages collected since the last call. */
  takeBatch(): PageBatch {
    if (this.#lines !== undefined) {
      return this.#lines.take();
    }
    const entries = this.#batch;
    const order = this.#order;
    this.#batch = [];
    this.#order = [];
    return this.#options.recognizer === undefined ? { type: 'entries', entries } : { type: 'entries', entries, order };
  }

  get batchSize(): number {
    return this.#lines?.pages ?? Math.max(this.#batch.length, this.#order.length);
  }

  get children(): readonly string[] {
    return [...this.#children];
  }

  /** Call after the last byte. A sitemap without a usable record is never silent, and never complete if it has records. */
  finish(): void {
    if (this.#children.size > 0 || this.#usable > 0 || this.firstError !== undefined) return;
    if (this.kind === 'robots') this.problem('NO_SITEMAPS', 'error', 'the robots.txt names no sitemap');
    else if (this.kind === 'index') this.problem('NO_SITEMAPS', 'error', 'the index names no sitemap');
    else if (this.#unusable > 0) {
      this.problem('EMPTY', 'error', `none of its ${this.#unusable} records holds a URL that can be used`);
    } else this.problem('EMPTY', 'warning', 'the sitemap is well-formed and has no record');
  }

  get problems(): Problem[] {
    return [...this.#problems.values()].map(({ count, ...problem }) => (count === 1 ? problem : { ...problem, count }));
  }

  get firstError(): Problem | undefined {
    return this.#problems.values().find(({ severity }) => severity === 'error');
  }

  /** The page of a record: null for a relative URL that the format does not allow or that nothing can resolve. */
  #toPage(normal: NormalizedUrl, reference: Reference | undefined): Url | null {
    if (!normal.ok) return null;
    return normal.relative === true && reference === undefined ? null : normal.url;
  }

  #resolveBase(reference: Reference | undefined): string | undefined {
    const { base } = this.#options;
    if (reference === undefined) return base;
    return reference.bases.reduce<string | undefined>(
      (outer, inner) => (URL.canParse(inner, outer) ? new URL(inner, outer).href : outer),
      base,
    );
  }

  /** Counts a record and checks the limits, which throw before the record is emitted. */
  #count(isUsable: boolean): void {
    const { budget, skip } = this.#options;
    const isEmitted = this.pages >= skip;
    if (isEmitted && budget.urls >= budget.maxUrls) {
      budget.isSpent = true;
      throw new SitemapError(
        'TOO_MANY_URLS',
        `more than ${budget.maxUrls} pages, the limit of this crawl (--max-urls)`,
      );
    }
    if (this.pages >= MAX_URLS) throw new SitemapError('TOO_MANY_URLS', `more than ${MAX_URLS} pages in one sitemap`);
    this.pages += 1;
    if (isUsable) this.#usable += 1;
    else this.#unusable += 1;
    if (!isEmitted) return;
    budget.urls += 1;
    if (this.pages === PROTOCOL_URLS + 1) {
      this.problem('TOO_MANY_URLS', 'warning', `more pages than the ${PROTOCOL_URLS} of the protocol; all are read`);
    }
  }

  #refuse(loc: string, reason: BadUrlReason, severity: Severity): void {
    this.#unusable += 1;
    const isSecret = reason === 'credentials' || reason === 'empty' || loc.includes('@');
    const message = `${WHY_BAD[reason]}${isSecret ? '' : `: ${loc.slice(0, 120)}`}`;
    this.#addProblem(`BAD_URL ${severity} ${reason}`, 'BAD_URL', severity, message);
  }

  #parseDate(lastmod: string): Version | null {
    const version = this.kind === 'rss' ? (parseRfc822Date(lastmod) ?? parseW3cDate(lastmod)) : parseW3cDate(lastmod);
    if (version === null) this.problem('LASTMOD_INVALID', 'warning', `"${lastmod.slice(0, 60)}" is not a W3C date`);
    else if (isAhead(version, this.#options.now)) {
      this.problem('LASTMOD_FUTURE', 'warning', `${lastmod} is in the future`);
    }
    return version;
  }
}

const toText = ({ bytes, from, to }: UrlBytes): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
