import { BodyChangedError, BodyDigest, holdBack, type Prefix } from './body-digest.ts';
import type { CrawlEvent, KnownSitemap, Problem, Saved, Verdict } from './events.ts';
import { openFile } from './fetch/file.ts';
import type { HostGate } from './fetch/host-gate.ts';
import type { HttpAnswer } from './fetch/http.ts';
import { formatWait } from './fetch/http-error.ts';
import type { BodyEnd } from './fetch/request.ts';
import { backoffMs } from './fetch/retry.ts';
import { FetchTimer } from './fetch-timer.ts';
import type { PageRecognizer, Settings } from './options.ts';
import { SitemapError } from './problems.ts';
import { type DocumentSource, readDocument } from './read/document.ts';
import { type Budget, RecordCollector } from './record-collector.ts';
import type { Source } from './source.ts';

/** Change it when the readers find other records in the same bytes: sitemaps with another version are read again. */
const READER = 'r2';
/** Pages in one event. */
const BATCH = 500;

export interface FetchContext {
  readonly settings: Settings;
  /** GET with redirects (`openHttp` in fetch/http.ts). */
  readonly http: (url: URL, known: KnownSitemap | undefined, signal: AbortSignal) => Promise<HttpAnswer>;
  readonly gate: HostGate;
  /** Slows down the requests to a host as its robots.txt asks, before the first of them (host-delays.ts). */
  readonly slowDown: (url: URL) => Promise<void>;
  readonly budget: Budget;
  readonly signal: AbortSignal;
  readonly emit: (event: CrawlEvent) => Promise<void>;
  /** Records which sitemap reads a URL. Returns the name of another one that reads it already. */
  readonly claim: (url: string, sitemap: string) => string | undefined;
}

export interface SitemapFetch {
  readonly verdict: Verdict;
  /** Sitemaps to follow. */
  readonly children: readonly string[];
  /** The URL that redirects led to. */
  readonly location: string | undefined;
}

/**
 * Fetches one sitemap, with retries: emits its pages, its problems and one verdict. Throws only what is not a problem of
 * the sitemap.
 */
export async function fetchSitemap(source: Source, context: FetchContext): Promise<SitemapFetch> {
  const { totalMs } = context.settings.timeouts;
  const message = `not read within ${totalMs / 1_000} s (--timeout)`;
  const timer = new FetchTimer(totalMs, () => new SitemapError('TIMEOUT', message));
  try {
    return await new Attempts(source, context, timer).run();
  } finally {
    timer.stop();
  }
}

type Validators = Pick<KnownSitemap, 'etag' | 'lastModified' | 'location'>;

class Attempts {
  readonly #source: Source;
  readonly #context: FetchContext;
  readonly #timer: FetchTimer;
  readonly #signal: AbortSignal;
  #collector: RecordCollector;
  #digest = new BodyDigest();
  #location: string | undefined;
  /** What the timer had counted when this attempt began. */
  #begunMs = 0;
  /** The end of the pause that its server asked for and this fetch has made. */
  #waitedUntil = 0;
  /**
   * Pages that a failed attempt has emitted. The next attempt starts after them if its body begins with the same bytes, and
   * comes from `base` when some of them were relative to it.
   */
  #resume: { readonly pages: number; readonly prefix: Prefix; readonly base: string | undefined } | undefined;
  /** An attempt has emitted pages. Its body is what must be read to the end; a 304 or a duplicate would not be about it. */
  #hasEmitted = false;
  /** The digest of a body that ended with its connection: a second one must be the same. */
  #unconfirmed = '';
  #hasChanged = false;

  constructor(source: Source, context: FetchContext, timer: FetchTimer) {
    this.#source = source;
    this.#context = context;
    this.#timer = timer;
    this.#signal = AbortSignal.any([context.signal, timer.signal]);
    this.#collector = this.#createCollector();
  }

  async run(): Promise<SitemapFetch> {
    const { settings } = this.#context;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt();
      } catch (error) {
        if (error instanceof BodyChangedError) {
          this.#resume = undefined;
          this.#hasChanged = true;
          continue;
        }
        if (!(error instanceof SitemapError)) throw error;
        await this.#drain(1);
        if (!error.transient || attempt > settings.retries || !(await this.#pause(error, attempt))) {
          return this.#fail(error, attempt);
        }
        const { pages, usedBase: base } = this.#collector;
        if (pages > 0) this.#resume = { pages, prefix: this.#digest.prefix, base };
      }
    }
  }

  #createCollector(recognizer?: PageRecognizer): RecordCollector {
    const { settings, budget } = this.#context;
    return new RecordCollector({
      sitemap: this.#source.name,
      base: this.#location,
      budget,
      now: settings.asOf ?? settings.now(),
      skip: this.#resume?.pages ?? 0,
      recognizer,
      lines: settings.lines,
    });
  }

  /** Waits before the next attempt. Returns false when the server asks for a longer pause than this crawl makes. */
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

  async #attempt(): Promise<SitemapFetch> {
    const { settings } = this.#context;
    const kept = this.#hasEmitted ? undefined : await settings.known(this.#source.name);
    const known = kept?.fingerprint.startsWith(`${this.#readerVersion}:`) === true ? kept : undefined;
    if (this.#source.kind === 'file') {
      this.#begunMs = this.#timer.usedMs;
      const bytes = openFile(this.#source.path, settings.stdin);
      return await this.#read({ bytes, path: this.#source.path }, {}, known);
    }
    const url = new URL(this.#source.name);
    await this.#timer.without(() => this.#context.slowDown(url));
    const leave = await this.#enterHost(url.host);
    try {
      return await this.#fetch(url, known);
    } catch (error) {
      // Before the turn passes on: whoever waits behind this request waits for the host, too.
      if (error instanceof SitemapError && error.limitsHost && error.retryAfterMs !== undefined) {
        this.#waitedUntil = this.#context.gate.close(url.host, error.retryAfterMs);
      }
      throw error;
    } finally {
      leave();
    }
  }

  async #enterHost(host: string): Promise<() => void> {
    const leave = await this.#timer.without(() => this.#context.gate.enter(host, this.#signal, this.#waitedUntil));
    this.#begunMs = this.#timer.usedMs;
    return leave;
  }

  async #fetch(url: URL, known: KnownSitemap | undefined): Promise<SitemapFetch> {
    const answer = await this.#context.http(url, known, this.#signal);
    this.#location = answer.location.href;
    if (answer.kind === 'not-modified') {
      const { bytes, tookMs } = answer.known;
      return await this.#endNotModified(answer.known, { bytes, ms: tookMs });
    }
    const sameAs = this.#context.claim(answer.location.href, this.#source.name);
    if (sameAs !== undefined) {
      answer.discard();
      if (this.#hasEmitted) return await this.#fail(changedError());
      return await this.#end({ sitemap: this.#source.name, verdict: 'duplicate', sameAs }, [], []);
    }
    const { etag, lastModified, contentType, contentEncoding } = answer;
    const validators: Validators = {
      location: answer.location.href,
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { lastModified }),
    };
    const path = answer.location.pathname;
    return await this.#read(
      { bytes: answer.bytes, contentType, contentEncoding, path },
      validators,
      known,
      answer.getEnd,
    );
  }

  async #read(
    document: DocumentSource,
    validators: Validators,
    known: KnownSitemap | undefined,
    getEnd: () => BodyEnd = () => 'stated',
  ): Promise<SitemapFetch> {
    this.#digest = new BodyDigest(document.contentType);
    this.#collector = this.#createCollector();
    if (this.#resume?.base !== undefined && this.#resume.base !== this.#location) throw new BodyChangedError();
    const body = this.#digest.through(document.bytes, this.#resume?.prefix);
    let bytes: AsyncIterable<Buffer> = body;
    if (known !== undefined) {
      const held = await holdBack(body);
      // What is relative in the same bytes is something else under another address.
      const isSame = this.#fingerprint === known.fingerprint && this.#location === known.location;
      if (held.whole && isSame && getEnd() !== 'beyond') {
        return await this.#endNotModified({ ...known, ...validators, ...this.#transfer });
      }
      bytes = held.bytes;
    }
    const collector = this.#createCollector(await this.#context.settings.recognizer(this.#source.name));
    this.#collector = collector;
    let doubt: SitemapError | undefined;
    await readDocument({ ...document, bytes }, collector, {
      isWhole: () => {
        doubt = this.#doubtEnd(getEnd());
        return doubt === undefined;
      },
      maxBytes: this.#context.settings.maxBytes,
      alternates: this.#context.settings.hreflang,
      drain: () => this.#drain(BATCH),
      onKind: (kind) => {
        collector.kind = kind;
      },
    });
    if (doubt !== undefined && !this.#hasChanged) throw doubt;
    collector.finish();
    await this.#drain(1);
    if (this.#hasChanged) return await this.#fail(changedError(doubt));
    const { kind, children, pages, problems, firstError } = collector;
    if (firstError !== undefined || kind === undefined) return await this.#endIncomplete(firstError);
    const isList = kind === 'index' || kind === 'robots' || children.length > 0;
    return await this.#end(
      {
        sitemap: this.#source.name,
        verdict: 'complete',
        kind,
        urls: pages,
        fingerprint: this.#fingerprint,
        ...validators,
        ...this.#transfer,
        ...(isList ? { children } : {}),
      },
      problems,
      children,
    );
  }

  /**
   * Whether lines of text that have ended may have broken off. Where only the end of the connection shows their end, they
   * are read once more, and are whole when they end at the same byte.
   */
  #doubtEnd(end: BodyEnd): SitemapError | undefined {
    if (end === 'stated') return undefined;
    const { digest } = this.#digest.prefix;
    if (end === 'close' && digest === this.#unconfirmed) {
      this.#collector.problem(
        'END_UNKNOWN',
        'warning',
        `${END_UNKNOWN}; two readings ended at the same byte. ${ADVICE}`,
      );
      return undefined;
    }
    this.#unconfirmed = digest;
    const why =
      end === 'close'
        ? `${END_UNKNOWN}, and no two readings ended at the same byte`
        : 'the server sent more bytes than its Content-Length states, so lines may be missing';
    return new SitemapError('END_UNKNOWN', `${why}. ${ADVICE}`, { transient: true });
  }

  /** The same bytes mean other records for another version of the readers, and with other options. */
  get #readerVersion(): string {
    return this.#context.settings.hreflang ? `${READER}h` : READER;
  }

  get #fingerprint(): string {
    return `${this.#readerVersion}:${this.#digest.prefix.digest}`;
  }

  /** What a 304 of the next crawl saves. */
  get #transfer(): Pick<KnownSitemap, 'bytes' | 'tookMs'> {
    return { bytes: this.#digest.prefix.bytes, tookMs: Math.round(this.#timer.usedMs - this.#begunMs) };
  }

  async #endNotModified(known: KnownSitemap, saved?: Saved): Promise<SitemapFetch> {
    const verdict = {
      ...known,
      sitemap: this.#source.name,
      verdict: 'not-modified' as const,
      ...(saved === undefined ? {} : { saved }),
    };
    return await this.#end(verdict, [], known.children ?? []);
  }

  async #fail(error: SitemapError, attempts = 1): Promise<SitemapFetch> {
    const { maxRetryWaitMs } = this.#context.settings;
    const isLonger = error.retryAfterMs !== undefined && error.retryAfterMs > maxRetryWaitMs;
    const limit = isLonger ? `, and a crawl waits at most ${formatWait(maxRetryWaitMs)}` : '';
    const message = `${error.message}${limit}${attempts > 1 ? ` (${attempts} attempts)` : ''}`;
    this.#collector.problem(error.code, 'error', message);
    return await this.#endIncomplete(this.#collector.firstError, error.retryAfterMs);
  }

  async #endIncomplete(error: Problem | undefined, retryAfterMs?: number): Promise<SitemapFetch> {
    const { kind, pages, children } = this.#collector;
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    const problems = this.#collector.problems.map((problem) =>
      problem.code === error?.code && problem.severity === 'error' ? { ...problem, ...wait } : problem,
    );
    return await this.#end(
      {
        sitemap: this.#source.name,
        verdict: 'incomplete',
        code: error?.code ?? 'NOT_SITEMAP',
        message: error?.message ?? 'nothing in it shows what it is',
        urls: pages,
        ...(kind === undefined ? {} : { kind }),
        ...(children.length === 0 ? {} : { children }),
        ...wait,
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

  /** Emits the collected pages if there are at least that many. */
  async #drain(least: number): Promise<void> {
    if (this.#collector.batchSize < least) return;
    this.#hasEmitted = true;
    const batch = this.#collector.takeBatch();
    await this.#timer.without(() => this.#context.emit({ sitemap: this.#source.name, ...batch }));
  }
}

const END_UNKNOWN =
  'only the end of the connection shows where this text ends, which a failed server ends the same way';
const ADVICE = 'Let the server send the right Content-Length, or chunks';

/** `doubt`: why its end is not known either. What changes with each request would never be read twice alike. */
const changedError = (doubt?: SitemapError) =>
  new SitemapError(
    'BODY_CHANGED',
    'the sitemap changed between two attempts to read it, so pages of both versions were emitted; crawl it again' +
      (doubt === undefined ? '' : `. Its end is in doubt as well: ${doubt.message}`),
  );
