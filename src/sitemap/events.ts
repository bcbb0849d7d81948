import type { Url } from '../url/normalize-url.ts';
import type { Version } from '../url/version.ts';
import type { ProblemCode, Severity } from './problems.ts';

/** A page that a sitemap names. Its strings may share the memory of the block they were read from: copy what you keep. */
export interface SitemapEntry {
  /** As read: entities decoded and white space trimmed. */
  readonly loc: string;
  /** The page (src/url/normalize-url.ts). Null for a relative loc that the format does not allow or nothing can resolve. */
  readonly url: Url | null;
  /** The loc has no scheme and host of its own. */
  readonly relative?: true;
  /** The date as read; null when there is none. */
  readonly lastmod: string | null;
  /** What it names; null when there is no date or it cannot be parsed. */
  readonly version: Version | null;
}

export type SitemapKind = 'urlset' | 'index' | 'text' | 'csv' | 'rss' | 'atom' | 'json-feed' | 'robots';

/** What to keep of a complete fetch so that the next one is cheap. Keep nothing of an incomplete one. */
export interface KnownSitemap {
  readonly kind: SitemapKind;
  /** Number of pages. */
  readonly urls: number;
  /** Version of the reader and digest of the bytes as sent. Another version reads the sitemap again. */
  readonly fingerprint: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** The URL that redirects led to; validators are sent only there. */
  readonly location?: string;
  /** The sitemaps that an index or a robots.txt names, as absolute URLs. */
  readonly children?: readonly string[];
  /** The bytes of the last transfer as sent, and the milliseconds that it took; a 304 saves them. */
  readonly bytes: number;
  readonly tookMs: number;
}

/** What a 304 saved: the bytes and the milliseconds of the last transfer. */
export interface Saved {
  readonly bytes: number;
  readonly ms: number;
}

export interface Problem {
  readonly sitemap: string;
  readonly code: ProblemCode;
  readonly severity: Severity;
  /** What happened, with the offset of the first occurrence. */
  readonly message: string;
  /** How often, when more than once. */
  readonly count?: number;
  /** The pause in milliseconds that the server asked for, when it was longer than this crawl waits. */
  readonly retryAfterMs?: number;
}

/** How the fetch of one sitemap ended. */
export type Verdict =
  | ({ readonly sitemap: string; readonly verdict: 'complete' } & KnownSitemap)
  /** Nothing was read because nothing changed. An unchanged index still leads to its children. */
  | ({
      readonly sitemap: string;
      readonly verdict: 'not-modified';
      /** Absent when the bytes were transferred and turned out to be the same. */
      readonly saved?: Saved;
    } & KnownSitemap)
  /** Redirects led to a sitemap that this crawl reads under another name. The crawl may still be complete. */
  | { readonly sitemap: string; readonly verdict: 'duplicate'; readonly sameAs: string }
  | {
      readonly sitemap: string;
      readonly verdict: 'incomplete';
      readonly kind?: SitemapKind;
      readonly code: ProblemCode;
      readonly message: string;
      /** Pages read before the failure. They exist; pages that are missing here may exist too. */
      readonly urls: number;
      /** Sitemaps named before the failure; they are followed. */
      readonly children?: readonly string[];
      /** The pause in milliseconds that the server asked for, when it was longer than this crawl waits. */
      readonly retryAfterMs?: number;
    };

export type CrawlEvent =
  /** A sitemap is about to be fetched. */
  | { readonly type: 'sitemap'; readonly sitemap: string; readonly depth: number; readonly parent: string | null }
  /** The robots.txt of a host asks for a delay between two requests; `delayMs` is what is kept of it. */
  | { readonly type: 'delay'; readonly host: string; readonly delayMs: number; readonly askedMs: number }
  | {
      readonly type: 'entries';
      readonly sitemap: string;
      readonly entries: readonly SitemapEntry[];
      /**
       * Only with a recognizer (options.ts): one number for each page in the order of the document, what the recognizer
       * returned for it. -1 stands for the next of `entries`.
       */
      readonly order?: readonly number[];
    }
  /** With the option `lines`, in place of `entries`. */
  | {
      readonly type: 'lines';
      readonly sitemap: string;
      readonly pages: number;
      /** The normal forms of the pages in ASCII, each with a line end. */
      readonly bytes: Buffer;
      /** Call it when the bytes are no longer needed: the next lines use their memory again. */
      readonly release: () => void;
    }
  | ({ readonly type: 'problem' } & Problem)
  /** Exactly one for each sitemap fetched, after its entries and problems. */
  | ({ readonly type: 'verdict' } & Verdict)
  /** Last. `complete` is true when every sitemap was complete or not modified and none was left out. */
  | {
      readonly type: 'summary';
      readonly urls: number;
      readonly sitemaps: number;
      readonly notModified: number;
      readonly complete: boolean;
    };
