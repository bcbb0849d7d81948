import { BodyChangedError, BodyDigest, holdBack, type Prefix } from './body-digest.ts';
import type { CrawlEvent, KnownSitemap, Problem, Verdict } from './events.ts';
import { openFile } from './fetch/file.ts';
import type { HostGate } from './fetch/host-gate.ts';
import { type HttpContext, openHttp } from './fetch/http.ts';
import { backoffMs } from './fetch/retry.ts';
import type { Settings } from './options.ts';
import { SitemapError } from './problems.ts';
import { type DocumentSource, readDocument } from './read/document.ts';
import { type Budget, RecordCollector } from './record-collector.ts';
import type { Source } from './source.ts';

/** Changes with what is read out of a sitemap: what an older reader saw is then read again. */
const READER = 'r2';
/** Pages in one event. */
const BATCH = 500;

export interface FetchContext {
  readonly settings: Settings;
  readonly http: Omit<HttpContext, 'signal'>;
  readonly gate: HostGate;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  readonly emit: (event: CrawlEvent) => Promise<void>;
  /** Notes who reads what a URL answers; the name of another sitemap that does so already. */
  readonly claim: (url: string, sitemap: string) => string | undefined;
}

export interface SitemapFetch {
  readonly verdict: Verdict;
  /** Sitemaps to go on with. */
  readonly children: readonly string[];
  /** Where redirects led. */
  readonly location: string | undefined;
}

/** Reads one sitemap, with its retries: emits its pages, its problems, and one verdict. Throws only what is no problem of a sitemap. */
export async function fetchSitemap(source: Source, context: FetchContext): Promise<SitemapFetch> {
  const { settings } = context;
  const timeout = new AbortController();
  const { totalMs } = settings.timeouts;
  const timer = setTimeout(() => timeout.abort(new SitemapError('TIMEOUT', `not read within ${totalMs} ms`)), totalMs);
  const attempt = new Attempts(source, context, AbortSignal.any([context.signal, timeout.signal]));
  try {
    return await attempt.run();
  } finally {
    clearTimeout(timer);
  }
}

type Seen = Pick<KnownSitemap, 'etag' | 'lastModified' | 'location'>;

class Attempts {
  readonly #source: Source;
  readonly #context: FetchContext;
  readonly #signal: AbortSignal;
  #collector: RecordCollector;
  #digest = new BodyDigest();
  #location: string | undefined;
  /** Pages of a try that broke off are out already; the next one begins after them if its bytes begin the same. */
  #resume: { readonly pages: number; readonly prefix: Prefix } | undefined;

  constructor(source: Source, context: FetchContext, signal: AbortSignal) {
    this.#source = source;
    this.#context = context;
    this.#signal = signal;
    this.#collector = this.#begin();
  }

  async run(): Promise<SitemapFetch> {
    const { settings } = this.#context;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#once();
      } catch (error) {
        if (error instanceof BodyChangedError) this.#resume = undefined;
        else {
          if (!(error instanceof SitemapError)) throw error;
          await this.#drain(1);
          if (!error.transient || attempt > settings.retries || !(await this.#pause(error, attempt))) {
            return this.#failed(error);
          }
          if (this.#collector.pages > 0) this.#resume = { pages: this.#collector.pages, prefix: this.#digest.prefix };
        }
      }
    }
  }

  #begin(): RecordCollector {
    const { settings, budget } = this.#context;
    return new RecordCollector({
      sitemap: this.#source.name,
      base: this.#location,
      budget,
      now: settings.now(),
      skip: this.#resume?.pages ?? 0,
    });
  }

  /** Waits for the next try; false when the server wants a longer pause than this crawl makes. */
  async #pause(error: SitemapError, attempt: number): Promise<boolean> {
    const { settings } = this.#context;
    const wait = error.retryAfterMs ?? backoffMs(attempt, settings.random());
    if (wait > settings.maxRetryWaitMs) return false;
    try {
      await settings.sleep(wait, this.#signal);
    } catch (reason) {
      if (!(reason instanceof SitemapError)) throw reason;
      return false;
    }
    return true;
  }

  async #once(): Promise<SitemapFetch> {
    const { settings } = this.#context;
    const known = await settings.known(this.#source.name);
    const trusted = known?.fingerprint.startsWith(`${this.#reader}:`) === true ? known : undefined;
    if (this.#source.kind === 'file') {
      const bytes = openFile(this.#source.path, settings.stdin);
      return await this.#read({ bytes, path: this.#source.path }, {}, trusted);
    }
    const url = new URL(this.#source.name);
    const leave = await this.#context.gate.enter(url.host, this.#signal);
    try {
      return await this.#fetch(url, trusted);
    } finally {
      leave();
    }
  }

  async #fetch(url: URL, known: KnownSitemap | undefined): Promise<SitemapFetch> {
    const answer = await openHttp(url, known, { ...this.#context.http, signal: this.#signal });
    this.#location = answer.location.href;
    if (answer.kind === 'not-modified') return await this.#notModified(known!);
    const sameAs = this.#context.claim(answer.location.href, this.#source.name);
    if (sameAs !== undefined) {
      answer.discard();
      return await this.#end({ sitemap: this.#source.name, verdict: 'duplicate', sameAs }, [], []);
    }
    const { etag, lastModified, contentType, contentEncoding } = answer;
    const seen: Seen = {
      location: answer.location.href,
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { lastModified }),
    };
    return await this.#read(
      { bytes: answer.bytes, contentType, contentEncoding, path: answer.location.pathname },
      seen,
      known,
    );
  }

  async #read(document: DocumentSource, seen: Seen, known: KnownSitemap | undefined): Promise<SitemapFetch> {
    this.#digest = new BodyDigest();
    this.#collector = this.#begin();
    const sent = this.#digest.through(document.bytes, this.#resume?.prefix);
    let bytes: AsyncIterable<Buffer> = sent;
    if (known !== undefined) {
      const held = await holdBack(sent);
      if (held.whole && this.#fingerprint === known.fingerprint) return await this.#notModified({ ...known, ...seen });
      bytes = held.bytes;
    }
    const collector = this.#collector;
    await readDocument({ ...document, bytes }, collector, {
      maxBytes: this.#context.settings.maxBytes,
      alternates: this.#context.settings.hreflang,
      drain: () => this.#drain(BATCH),
      onKind: (kind) => {
        collector.kind = kind;
      },
    });
    collector.finish();
    await this.#drain(1);
    const { kind, children, pages, problems, firstError } = collector;
    if (firstError !== undefined || kind === undefined) return await this.#incomplete(firstError);
    const isList = kind === 'index' || kind === 'robots' || children.length > 0;
    const fingerprint = this.#fingerprint;
    return await this.#end(
      {
        sitemap: this.#source.name,
        verdict: 'complete',
        kind,
        urls: pages,
        fingerprint,
        ...seen,
        ...(isList ? { children } : {}),
      },
      problems,
      children,
    );
  }

  /** What the reader makes of the same bytes depends on its version and on what it was asked for. */
  get #reader(): string {
    return this.#context.settings.hreflang ? `${READER}h` : READER;
  }

  get #fingerprint(): string {
    return `${this.#reader}:${this.#digest.prefix.digest}`;
  }

  async #notModified(known: KnownSitemap): Promise<SitemapFetch> {
    return await this.#end({ ...known, sitemap: this.#source.name, verdict: 'not-modified' }, [], known.children ?? []);
  }

  async #failed(error: SitemapError): Promise<SitemapFetch> {
    this.#collector.problem(error.code, 'error', error.message);
    return await this.#incomplete(this.#collector.firstError, error.retryAfterMs);
  }

  async #incomplete(error: Problem | undefined, retryAfterMs?: number): Promise<SitemapFetch> {
    const { kind, pages, children, problems } = this.#collector;
    return await this.#end(
      {
        sitemap: this.#source.name,
        verdict: 'incomplete',
        code: error?.code ?? 'NOT_SITEMAP',
        message: error?.message ?? 'nothing in it says what it is',
        urls: pages,
        ...(kind === undefined ? {} : { kind }),
        ...(children.length === 0 ? {} : { children }),
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
      problems,
      children,
    );
  }

  async #end(verdict: Verdict, problems: readonly Problem[], children: readonly string[]): Promise<SitemapFetch> {
    for (const problem of problems) await this.#context.emit({ type: 'problem', ...problem });
    await this.#context.emit({ type: 'verdict', ...verdict });
    return { verdict, children, location: this.#location };
  }

  /** Hands on the pages gathered, when there are at least so many. */
  async #drain(least: number): Promise<void> {
    if (this.#collector.batchSize < least) return;
    await this.#context.emit({ type: 'entries', sitemap: this.#source.name, entries: this.#collector.takeBatch() });
  }
}
