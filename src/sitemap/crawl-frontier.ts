import type { CrawlEvent } from './events.ts';
import type { HostPolicy } from './fetch/host-policy.ts';
import type { Settings } from './options.ts';
import type { ProblemCode, SitemapError } from './problems.ts';
import type { Budget } from './record-collector.ts';
import type { SitemapFetch } from './sitemap-fetch.ts';
import type { Source } from './source.ts';

/**
 * Indexes inside indexes. The protocol knows none, real sites have a handful; a tree of them is how a hostile site makes
 * a crawl go on for ever below the limit of depth.
 */
const MAX_NESTED_INDEXES = 1_000;

interface Job {
  readonly source: Source;
  readonly depth: number;
  readonly parent: Job | null;
  location?: string;
}

export interface FrontierOptions {
  readonly settings: Settings;
  readonly policy: HostPolicy;
  readonly budget: Budget;
  readonly emit: (event: CrawlEvent) => Promise<void>;
}

export interface FrontierSummary {
  readonly sitemaps: number;
  readonly notModified: number;
  readonly complete: boolean;
}

/** The way from the sources to every sitemap below them: each opened once, breadth first, a few at a time. */
export class CrawlFrontier {
  readonly #settings: Settings;
  readonly #policy: HostPolicy;
  readonly #budget: Budget;
  readonly #emit: FrontierOptions['emit'];
  readonly #seen = new Set<string>();
  #queue: Job[] = [];
  #next = 0;
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

  /** A source that is no address at all: it has a verdict like every other. */
  refused(sitemap: string, { code, message }: SitemapError): void {
    this.#complete = false;
    this.#sitemaps += 1;
    this.#refused.push(
      { type: 'problem', sitemap, code, severity: 'error', message },
      { type: 'verdict', sitemap, verdict: 'incomplete', code, message, urls: 0 },
    );
  }

  async run(
    roots: readonly Source[],
    fetchSitemap: (source: Source) => Promise<SitemapFetch>,
    signal: AbortSignal,
  ): Promise<FrontierSummary> {
    for (const event of this.#refused) await this.#emit(event);
    for (const source of roots) this.#add({ source, depth: 0, parent: null });
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

  async #work(fetchSitemap: (source: Source) => Promise<SitemapFetch>, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const job = this.#take();
      if (job === undefined) {
        if (this.#active === 0) return;
        await new Promise<void>((resolve) => this.#idle.push(resolve));
        continue;
      }
      this.#active += 1;
      try {
        await this.#do(job, fetchSitemap);
      } finally {
        this.#active -= 1;
        this.#wakeAll();
      }
    }
  }

  #take(): Job | undefined {
    const job = this.#queue[this.#next];
    if (job === undefined) return undefined;
    this.#next += 1;
    if (this.#next === this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
    }
    return job;
  }

  /** Forgets what was not opened yet; returns how many that were. */
  #dropQueue(): number {
    const dropped = this.#queue.length - this.#next;
    this.#queue = [];
    this.#next = 0;
    return dropped;
  }

  #wakeAll(): void {
    for (const wake of this.#idle.splice(0)) wake();
  }

  async #do(job: Job, fetchSitemap: (source: Source) => Promise<SitemapFetch>): Promise<void> {
    const { name } = job.source;
    const done = await this.#settings.done(name);
    if (done !== undefined) {
      await this.#follow(job, done.children ?? [], done.kind === 'robots');
      return;
    }
    if (this.#budget.isSpent) {
      const unopened = 1 + this.#dropQueue();
      await this.#leftOut(job, 'TOO_MANY_URLS', 'not opened: the pages that this crawl may give are given', unopened);
      return;
    }
    this.#sitemaps += 1;
    await this.#emit({ type: 'sitemap', sitemap: name, depth: job.depth, parent: job.parent?.source.name ?? null });
    const { verdict, children, location } = await fetchSitemap(job.source);
    if (location !== undefined) job.location = location;
    if (verdict.verdict === 'not-modified') this.#notModified += 1;
    if (verdict.verdict === 'incomplete') this.#complete = false;
    if (verdict.verdict === 'duplicate' && isAbove(job, verdict.sameAs)) await this.#cycles(job, 1);
    await this.#follow(job, children, 'kind' in verdict && verdict.kind === 'robots');
  }

  async #follow(job: Job, children: readonly string[], isRobots: boolean): Promise<void> {
    if (children.length === 0) return;
    // A robots.txt is no level of its own, and it is how a site vouches for sitemaps on another host.
    const depth = isRobots ? job.depth : job.depth + 1;
    if (depth > this.#settings.maxDepth) {
      await this.#leftOut(
        job,
        'DEPTH_EXCEEDED',
        `${children.length} sitemaps lie deeper than ${this.#settings.maxDepth} indexes`,
        children.length,
      );
      return;
    }
    if (job.depth > 0) this.#nestedIndexes += 1;
    if (this.#nestedIndexes > MAX_NESTED_INDEXES) {
      const unopened = this.#dropQueue() + children.length;
      await this.#leftOut(job, 'TOO_MANY_SITEMAPS', `more than ${MAX_NESTED_INDEXES} indexes inside indexes`, unopened);
      return;
    }
    let cycles = 0;
    let tooMany = 0;
    for (const child of children) {
      if (isRobots || job.source.kind === 'file') this.#policy.vouchFor(new URL(child).hostname);
      if (isAbove(job, child)) cycles += 1;
      else if (!this.#add({ source: { kind: 'http', name: child }, depth, parent: job })) tooMany += 1;
    }
    if (cycles > 0) await this.#cycles(job, cycles);
    if (tooMany > 0) {
      await this.#leftOut(
        job,
        'TOO_MANY_SITEMAPS',
        `more than ${this.#settings.maxSitemaps} sitemaps, the limit of this crawl`,
        tooMany,
      );
    }
  }

  /** False when there is no room for it. */
  #add(job: Job): boolean {
    if (this.#seen.has(job.source.name)) return true;
    if (this.#seen.size >= this.#settings.maxSitemaps) return false;
    this.#seen.add(job.source.name);
    this.#queue.push(job);
    this.#wakeAll();
    return true;
  }

  async #cycles(job: Job, count: number): Promise<void> {
    const message = 'an index leads back to itself or to one above it';
    await this.#emit({
      type: 'problem',
      sitemap: job.source.name,
      code: 'CYCLE',
      severity: 'warning',
      message,
      ...times(count),
    });
  }

  async #leftOut(job: Job, code: ProblemCode, message: string, count: number): Promise<void> {
    this.#complete = false;
    await this.#emit({ type: 'problem', sitemap: job.source.name, code, severity: 'error', message, ...times(count) });
  }
}

const times = (count: number) => (count > 1 ? { count } : {});

/** Whether a URL is that of a job or of one above it, by its name or by where redirects led. */
function isAbove(job: Job, url: string): boolean {
  for (let above: Job | null = job; above !== null; above = above.parent) {
    if (above.source.name === url || above.location === url) return true;
  }
  return false;
}
