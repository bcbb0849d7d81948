/**
 * What can be wrong with a sitemap, as a closed list: scripts match on these codes. docs/explanation/sitemaps.md explains each: what
 * was found, what it means for the pages and what to do. The severity is not part of the code: an `error` makes the crawl
 * incomplete, a `warning` does not.
 */
export const PROBLEM_CODES = [
  /** The answer was not 200 or 203. */
  'HTTP_STATUS',
  /** No connection, or the body broke off. Also a local file that cannot be read. */
  'NETWORK',
  /** A phase of the request took too long. */
  'TIMEOUT',
  /** Nothing shows whether lines of text came whole: two readings differ (error), or end at the same byte (warning). */
  'END_UNKNOWN',
  /** The body changed between two attempts, after pages of the first version were emitted. */
  'BODY_CHANGED',
  'REDIRECT_LOOP',
  'TOO_MANY_REDIRECTS',
  /** A sitemap or redirect on a host that no source allows. */
  'OFF_HOST',
  /** A loopback, private or link-local address. */
  'PRIVATE_HOST',
  /** Something else: HTML, JSON, other XML, an error message. */
  'NOT_SITEMAP',
  /** No bytes or no usable record (error), or a well-formed sitemap without records (warning). */
  'EMPTY',
  /** Damage that may cost a record (error), or a mistake that costs none (warning). */
  'XML_MALFORMED',
  /** The document ends before its root element is closed. */
  'XML_TRUNCATED',
  'XML_TOO_DEEP',
  /** Quotes of a table that do not fit: rows may be missing. */
  'CSV_MALFORMED',
  /** A JSON Feed that is damaged or ends too early. */
  'JSON_MALFORMED',
  /** A record, tag or text that is larger than any sitemap needs. */
  'RECORD_TOO_LARGE',
  /** A document type that declares entities. */
  'DOCTYPE_FORBIDDEN',
  'UNSUPPORTED_ENCODING',
  'GZIP_TRUNCATED',
  'GZIP_CORRUPT',
  /** gzip inside gzip (warning), or too many layers (error). */
  'GZIP_NESTED',
  /** Over the 50 MB of the protocol (warning), or over the crawl's own limit (error). */
  'TOO_LARGE',
  /** Over the 50,000 pages of the protocol (warning), or over the crawl's own limit (error). */
  'TOO_MANY_URLS',
  'TOO_MANY_SITEMAPS',
  'DEPTH_EXCEEDED',
  /** A robots.txt that names no sitemap, or an index without an entry. */
  'NO_SITEMAPS',
  /** An index that leads back to itself or to one of its ancestors. */
  'CYCLE',
  /** A text that is not a URL: a page (warning) or a child sitemap (error). */
  'BAD_URL',
  /** A relative URL where the format allows none. It is reported and never submitted. */
  'RELATIVE_URL',
  /** No namespace, or not the protocol's. */
  'NAMESPACE',
  'LASTMOD_INVALID',
  'LASTMOD_FUTURE',
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];
export type Severity = 'error' | 'warning';

/** Ends the fetch of one sitemap. Pages read before stay valid; the verdict is incomplete. */
export class SitemapError extends Error {
  override readonly name = 'SitemapError';
  readonly code: ProblemCode;
  /** A retry may help (a reset, a 503). */
  readonly transient: boolean;
  /** The Retry-After of the server. */
  readonly retryAfterMs: number | undefined;
  /** The server limits this client (429), so the wait is for all of its sitemaps. */
  readonly limitsHost: boolean;

  constructor(
    code: ProblemCode,
    message: string,
    options: ErrorOptions & { transient?: boolean; retryAfterMs?: number | undefined; limitsHost?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.transient = options.transient ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.limitsHost = options.limitsHost ?? false;
  }
}
