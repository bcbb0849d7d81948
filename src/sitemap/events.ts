import type { Url } from '../url/normalize-url.ts';
import type { ProblemCode, Severity } from './problems.ts';

/** A page that a sitemap names. Its texts may share the memory of the block they were read from: copy what is kept long. */
export interface SitemapEntry {
  /** As read: entities decoded, surrounding white space gone. */
  readonly loc: string;
  /** The page (src/url/normalize-url.ts). Null only for a relative loc in a local file, which has nothing to resolve it. */
  readonly url: Url | null;
  /** The loc had no scheme and host of its own. */
  readonly relative?: true;
  /** The text of the date as read; null when there is none. A changed text is a change, whether it can be parsed or not. */
  readonly lastmod: string | null;
  /** Milliseconds since 1970, or null when there is no date or none that can be trusted. */
  readonly lastmodAt: number | null;
}

export type SitemapKind = 'urlset' | 'index' | 'text' | 'rss' | 'atom' | 'robots';

/** What to keep of a good fetch, so that the next one can be cheap. Never kept of a fetch that was not complete. */
export interface KnownSitemap {
  readonly kind: SitemapKind;
  /** How many pages it named. */
  readonly urls: number;
  /** Of the bytes as sent, with the version of the reader. Another version reads again. */
  readonly fingerprint: string;
  readonly etag?: string;
  readonly lastModified?: string;
  /** Where redirects led; validators are only sent there. */
  readonly location?: string;
  /** The sitemaps that an index or a robots.txt names, as absolute URLs. */
  readonly children?: readonly string[];
}

export interface Problem {
  readonly sitemap: string;
  readonly code: ProblemCode;
  readonly severity: Severity;
  /** What happened, with the first place it was seen. */
  readonly message: string;
  /** How often, when more than once. */
  readonly count?: number;
}

/** How the fetch of one sitemap ended. */
export type Verdict =
  | ({ readonly sitemap: string; readonly verdict: 'complete' } & KnownSitemap)
  /** Nothing was read because nothing changed. An index that did not change still leads to its children. */
  | ({ readonly sitemap: string; readonly verdict: 'not-modified' } & KnownSitemap)
  /** Redirects led to a sitemap that this crawl reads under another name, so nothing was read here. Costs nothing. */
  | { readonly sitemap: string; readonly verdict: 'duplicate'; readonly sameAs: string }
  | {
      readonly sitemap: string;
      readonly verdict: 'incomplete';
      readonly kind?: SitemapKind;
      readonly code: ProblemCode;
      readonly message: string;
      /** Pages that were read before the reason for stopping. They are real; those that are missing mean nothing. */
      readonly urls: number;
      /** Sitemaps named before the reason for stopping; they are followed. */
      readonly children?: readonly string[];
      /** The server asked for a longer pause than this crawl waits. */
      readonly retryAfterMs?: number;
    };

export type CrawlEvent =
  /** A sitemap is about to be fetched. */
  | { readonly type: 'sitemap'; readonly sitemap: string; readonly depth: number; readonly parent: string | null }
  | { readonly type: 'entries'; readonly sitemap: string; readonly entries: readonly SitemapEntry[] }
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
