import type { CrawlEvent } from './events.ts';
import type { HostPolicy } from './fetch/host-policy.ts';
import { JobQueue } from './job-queue.ts';
import type { Settings } from './options.ts';
import type { ProblemCode, SitemapError } from './problems.ts';
import type { Budget } from './record-collector.ts';
import type { SitemapFetch } from './sitemap-fetch.ts';
import type { Source } from './source.ts';

/**
 * Indexes inside indexes. The protocol has none and real sites have a handful. A hostile site could use a tree of them to
 * keep a crawl busy below the limit of depth.
 */
const MAX_NESTED_INDEXES = 1_000;

/** A sitemap to fetch, and the index or robots.txt that named it. */
interface Job {
  readonly source: Source;
  readonly depth: number;
  readonly parent: Job | null;
  /** The URL that redirects led to, once it is known. */
  location?: string;
}

type FetchSitemap = (source: Source) => Promise<SitemapFetch>;

export interface FrontierOptions {
  readonly settings: Pick<Settings, 'concurrency' | 'maxDepth' | 'maxSitemaps' | 'done'>;
  readonly policy: HostPolicy;
  readonly budget: Budget;
  readonly emit: (event: CrawlEvent) => Promise<void>;
}

export interface FrontierSummary {
  readonly sitemaps: number;
  readonly notModified: number;
  readonly complete: boolean;
}

/** The sitemaps that a crawl has still to fetch: each once, breadth first for each host, a few at the same time. */
export class CrawlFrontier {
  readonly #settings: FrontierOptions['settings'];
  readonly #policy: HostPolicy;
  readonly #budget: Budget;
  readonly #emit: FrontierOptions['emit'];
  readonly #seen = new Set<string>();
  readonly #queue = new JobQueue<Job>(({ source }) => (source.kind === 'http' ? new URL(source.name).host : ''));
  #active = 0;
  #idle: (() => void)[] = [];
  #nestedIndexes = 0;
  #sitemaps = 0;
  #notModified = 0;
  #complete = true;
  readonly #refused: CrawlEvent[] = [];

  constructor({ settings, policy, budget, emit }: FrontierOptions) {
    this.#settings = settings;
    this.#policy = policy;
    this.#budget = budget;
    this.#emit = emit;
  }

  /** Reports a source that cannot be opened at all. It has a verdict like every other. */
  refuse(sitemap: string, { code, message }: SitemapError): void {
    this.#complete = false;
    this.#sitemaps += 1;
    this.#refused.push(
      { type: 'problem', sitemap, code, severity: 'error', message },
      { type: 'verdict', sitemap, verdict: 'incomplete', code, message, urls: 0 },
    );
  }

  async run(sources: readonly Source[], fetchSitemap: FetchSitemap, signal: AbortSignal): Promise<FrontierSummary> {
    for (const event of this.#refused) await this.#emit(event);
    await this.#addSources(sources);
    const stop = new AbortController();
    const ended = AbortSignal.any([signal, stop.signal]);
    const workers = Array.from({ length: this.#settings.concurrency }, async () => {
      try {
        await this.#work(fetchSitemap, ended);
      } catch (error) {
        stop.abort(error);
        this.#wakeAll();
        throw error;
      }
    });
    const results = await Promise.allSettled(workers);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    signal.throwIfAborted();
    return { sitemaps: this.#sitemaps, notModified: this.#notModified, complete: this.#complete };
  }

  async #addSources(sources: readonly Source[]): Promise<void> {
    const dropped = sources.filter((source) => !this.#add({ source, depth: 0, parent: null }));
    const [first] = dropped;
    if (first === undefined) return;
    const message = `${countSources(dropped.length)} not opened: ${this.#limit}`;
    await this.#reportLeftOut(first.name, 'TOO_MANY_SITEMAPS', message, dropped.length);
  }

  async #work(fetchSitemap: FetchSitemap, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const job = this.#queue.take();
      if (job === undefined) {
        if (this.#active === 0) return;
        await new Promise<void>((resolve) => this.#idle.push(resolve));
        continue;
      }
      this.#active += 1;
      try {
        await this.#run(job, fetchSitemap);
      } finally {
        this.#active -= 1;
        this.#queue.end(job);
        this.#wakeAll();
      }
    }
  }

  #wakeAll(): void {
    for (const wake of this.#idle.splice(0)) wake();
  }

  async #run(job: Job, fetchSitemap: FetchSitemap): Promise<void> {
    const { name } = job.source;
    const done = await this.#settings.done(name);
    if (done !== undefined) {
      await this.#follow(job, done.children ?? [], done.kind === 'robots');
      return;
    }
    if (this.#budget.isSpent) {
      const unopened = 1 + this.#queue.drop();
      const message = `not opened: the crawl has its ${this.#budget.maxUrls} pages (--max-urls)`;
      await this.#reportLeftOut(name, 'TOO_MANY_URLS', message, unopened);
      return;
    }
    this.#sitemaps += 1;
    await this.#emit({ type: 'sitemap', sitemap: name, depth: job.depth, parent: job.parent?.source.name ?? null });
    const { verdict, children, location } = await fetchSitemap(job.source);
    if (location !== undefined) job.location = location;
    if (verdict.verdict === 'not-modified') this.#notModified += 1;
    if (verdict.verdict === 'incomplete') this.#complete = false;
    if (verdict.verdict === 'duplicate' && isOneOf(job.parent, verdict.sameAs)) await this.#reportCycles(job, 1);
    await this.#follow(job, children, 'kind' in verdict && verdict.kind === 'robots');
  }

  async #follow(job: Job, children: readonly string[], isRobots: boolean): Promise<void> {
    if (children.length === 0) return;
    const { name } = job.source;
    // A robots.txt is not a level of its own, and it may name sitemaps on other hosts.
    const depth = isRobots ? job.depth : job.depth + 1;
    const { maxDepth } = this.#settings;
    if (depth > maxDepth) {
      const message = `${countSitemaps(children.length)} not opened: below more than ${maxDepth} indexes (--max-depth)`;
      await this.#reportLeftOut(name, 'DEPTH_EXCEEDED', message, children.length);
      return;
    }
    if (job.depth > 0) this.#nestedIndexes += 1;
    if (this.#nestedIndexes > MAX_NESTED_INDEXES) {
      const unopened = this.#queue.drop() + children.length;
      const message = `${countSitemaps(unopened)} not opened: more than ${MAX_NESTED_INDEXES} indexes inside indexes`;
      await this.#reportLeftOut(name, 'TOO_MANY_SITEMAPS', message, unopened);
      return;
    }
    let cycles = 0;
    let dropped = 0;
    for (const child of children) {
      if (isRobots || job.source.kind === 'file') this.#policy.allow(new URL(child).hostname);
      if (isOneOf(job, child)) cycles += 1;
      else if (!this.#add({ source: { kind: 'http', name: child }, depth, parent: job })) dropped += 1;
    }
    if (cycles > 0) await this.#reportCycles(job, cycles);
    if (dropped > 0) {
      const message = `${countSitemaps(dropped)} not opened: ${this.#limit}`;
      await this.#reportLeftOut(name, 'TOO_MANY_SITEMAPS', message, dropped);
    }
  }

  /** Adds a job unless its sitemap was added before. Returns false when the limit is reached. */
  #add(job: Job): boolean {
    if (this.#seen.has(job.source.name)) return true;
    if (this.#seen.size >= this.#settings.maxSitemaps) return false;
    this.#seen.add(job.source.name);
    this.#queue.push(job);
    this.#wakeAll();
    return true;
  }

  get #limit(): string {
    return `the limit of this crawl is ${countSitemaps(this.#settings.maxSitemaps)} (--max-sitemaps)`;
  }

  async #reportCycles(job: Job, count: number): Promise<void> {
    const sitemap = job.source.name;
    const message = 'an index leads back to itself or to one of its ancestors';
    await this.#emit({ type: 'problem', sitemap, code: 'CYCLE', severity: 'warning', message, ...toCount(count) });
  }

  async #reportLeftOut(sitemap: string, code: ProblemCode, message: string, count: number): Promise<void> {
    this.#complete = false;
    await this.#emit({ type: 'problem', sitemap, code, severity: 'error', message, ...toCount(count) });
  }
}

const toCount = (count: number) => (count > 1 ? { count } : {});
const countSitemaps = (count: number) => (count === 1 ? '1 sitemap' : `${count} sitemaps`);
const countSources = (count: number) => (count === 1 ? '1 source was' : `${count} sources were`);

/** Whether a URL is that of a job or of one of its ancestors, by name or by where redirects led. */
function isOneOf(job: Job | null, url: string): boolean {
  for (let at = job; at !== null; at = at.parent) {
    if (at.source.name === url || at.location === url) return true;
  }
  return false;
}
