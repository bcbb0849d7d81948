import { setTimeout } from 'node:timers/promises';
import type { UrlBytes } from '../url/normal-bytes.ts';
import type { Version } from '../url/version.ts';
import type { KnownSitemap } from './events.ts';
import type { PrivateHosts } from './fetch/address-guard.ts';
import type { RequestTimeouts } from './fetch/request.ts';
import type { RecordFields } from './read/record-layout.ts';

export interface Timeouts extends RequestTimeouts {
  /** For one sitemap, retries and redirects included. */
  readonly totalMs: number;
}

/** Recognizes pages that stand in a sitemap as they stood when it was last read. */
export interface PageRecognizer {
  /**
   * Returns a number from 0 for a page that is known with exactly this version: it counts as read and is emitted as this number.
   * Else -1.
   */
  find(url: UrlBytes, version: Version | null): number;
  /**
   * The same for the page that is expected next, by the bytes of its loc as they are written, before anything is known of
   * them: where they are those of the page's URL, they are its normal form. -1 changes nothing.
   */
  findNext(bytes: Uint8Array, loc: Pick<RecordFields, 'locFrom' | 'locTo'>, version: Version | null): number;
}

export interface CrawlOptions {
  /** The user agent. Default: `sitemap-courier`, with `contact` if it is set. */
  readonly userAgent?: string;
  /** An address or URL of the operator of the crawl, for the owner of a site. */
  readonly contact?: string;
  /** Sitemaps opened in one crawl, indexes included. Default 100,000: twice what one index may name. */
  readonly maxSitemaps?: number;
  /** Indexes above a sitemap. Default 10. */
  readonly maxDepth?: number;
  /** Pages in one crawl. Default 20,000,000. */
  readonly maxUrls?: number;
  /** Bytes of one sitemap after decompression. Default 104,857,600: twice what the protocol allows. */
  readonly maxBytes?: number;
  /** Sitemaps read at the same time. Default 4. */
  readonly concurrency?: number;
  /** Delay between the starts of two requests to one host, in milliseconds. Default 0. */
  readonly hostDelayMs?: number;
  /** Wait between two requests to a host as long as the Crawl-delay of its robots.txt asks, up to 30 s. Default false. */
  readonly respectCrawlDelay?: boolean;
  /** Requests to one host at the same time. Default 4. */
  readonly hostConcurrency?: number;
  /** Allowed loopback, private and link-local addresses: all, none (default), or these hosts, addresses and networks. */
  readonly allowPrivateHosts?: PrivateHosts;
  /** Follow sitemaps to any host. Default: only to hosts that the sources allow (src/sitemap/fetch/host-policy.ts). */
  readonly anyHost?: boolean;
  /** Further hosts to read sitemaps from. */
  readonly hosts?: readonly string[];
  /** Sent to the hosts of the sources only. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether hreflang alternates are pages. Default false. */
  readonly hreflang?: boolean;
  readonly timeouts?: Partial<Timeouts>;
  /** Retries of one sitemap after a failure that may pass. Default 2. */
  readonly retries?: number;
  /** The longest pause before a retry. If a server asks for more, the fetch ends with `retryAfterMs`. Default 30,000. */
  readonly maxRetryWaitMs?: number;
  /** Returns what was kept of the last complete fetch, if anything. */
  readonly known?: (sitemap: string) => Promise<KnownSitemap | undefined>;
  /**
   * For a crawl that continues after a killed worker: returns what is kept of a sitemap that this run has finished. It is
   * not opened again and gets no further verdict; its children are followed.
   */
  readonly done?: (sitemap: string) => Promise<Pick<KnownSitemap, 'kind' | 'children'> | undefined>;
  /** Returns what recognizes the pages of a sitemap; undefined when nothing is known of it. Makes a crawl of known pages cheap. */
  readonly recognizer?: (sitemap: string) => Promise<PageRecognizer | undefined>;
  /**
   * Emit pages as lines of bytes, without their dates: no string and no object is made of most pages. Default false. Not
   * together with `recognizer`.
   */
  readonly lines?: boolean;
  /** The input for the source `-`. */
  readonly stdin?: AsyncIterable<Buffer | string>;
  readonly now?: () => number;
  /** The moment that dates of pages are judged by, in milliseconds since 1970. Default: when their sitemap is read. */
  readonly asOf?: number | undefined;
  /** In [0, 1), for the jitter of retries. */
  readonly random?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 10_000, headersMs: 20_000, idleMs: 10_000, totalMs: 300_000 };

type WithDefaults = Omit<CrawlOptions, 'asOf' | 'signal' | 'contact' | 'timeouts' | 'known' | 'done' | 'recognizer'>;

export interface Settings extends Required<WithDefaults> {
  readonly timeouts: Timeouts;
  readonly asOf: number | undefined;
  readonly known: NonNullable<CrawlOptions['known']>;
  readonly done: NonNullable<CrawlOptions['done']>;
  readonly recognizer: NonNullable<CrawlOptions['recognizer']>;
}

export function toSettings(options: CrawlOptions): Settings {
  const { contact } = options;
  return {
    userAgent: options.userAgent ?? (contact === undefined ? 'sitemap-courier' : `sitemap-courier (+${contact})`),
    maxSitemaps: options.maxSitemaps ?? 100_000,
    maxDepth: options.maxDepth ?? 10,
    maxUrls: options.maxUrls ?? 20_000_000,
    maxBytes: options.maxBytes ?? 104_857_600,
    concurrency: options.concurrency ?? 4,
    hostDelayMs: options.hostDelayMs ?? 0,
    respectCrawlDelay: options.respectCrawlDelay ?? false,
    hostConcurrency: options.hostConcurrency ?? 4,
    allowPrivateHosts: options.allowPrivateHosts ?? false,
    anyHost: options.anyHost ?? false,
    hosts: options.hosts ?? [],
    headers: options.headers ?? {},
    hreflang: options.hreflang ?? false,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    retries: options.retries ?? 2,
    maxRetryWaitMs: options.maxRetryWaitMs ?? 30_000,
    known: options.known ?? (async () => undefined),
    done: options.done ?? (async () => undefined),
    recognizer: options.recognizer ?? (async () => undefined),
    lines: options.lines ?? false,
    stdin: options.stdin ?? process.stdin,
    now: options.now ?? Date.now,
    asOf: options.asOf,
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
  };
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
