/**
 * What can be wrong with a sitemap, as a closed list: scripts match on these codes. docs/sitemaps.md says for each what
 * was seen, what it means for the pages and what to do. The severity is not part of the code: an `error` costs
 * completeness, a `warning` was read through.
 */
export const PROBLEM_CODES = [
  /** The answer was not 200. */
  'HTTP_STATUS',
  /** No connection, or the body broke off; also a local file that cannot be read. */
  'NETWORK',
  /** A phase of the request took too long. */
  'TIMEOUT',
  'REDIRECT_LOOP',
  'TOO_MANY_REDIRECTS',
  /** A sitemap or redirect on a host that the source does not vouch for. */
  'OFF_HOST',
  /** A loopback, private or link-local address. */
  'PRIVATE_HOST',
  /** Something else: HTML, JSON, other XML, a program's error message. */
  'NOT_SITEMAP',
  /** No byte (error), or a well-formed sitemap without a page (warning). */
  'EMPTY',
  /** Damage that was read around (error), or a slip that costs nothing (warning). */
  'XML_MALFORMED',
  /** The document stops before its root element is closed. */
  'XML_TRUNCATED',
  'XML_TOO_DEEP',
  /** A record, a tag or a text larger than any sitemap needs. */
  'RECORD_TOO_LARGE',
  /** A document type with entities of its own. */
  'DOCTYPE_FORBIDDEN',
  'UNSUPPORTED_ENCODING',
  'GZIP_TRUNCATED',
  'GZIP_CORRUPT',
  /** gzip inside gzip (warning), or more layers than are opened (error). */
  'GZIP_NESTED',
  /** Over the 50 MB of the protocol (warning), or over the crawl's own limit (error). */
  'TOO_LARGE',
  /** Over the 50,000 pages of the protocol (warning), or over the crawl's own limit (error). */
  'TOO_MANY_URLS',
  'TOO_MANY_SITEMAPS',
  'DEPTH_EXCEEDED',
  /** A robots.txt that names no sitemap, or an index without an entry. */
  'NO_SITEMAPS',
  /** An index that leads back to itself or to one above it. */
  'CYCLE',
  /** A text that is no page (warning), or no sitemap (error). */
  'BAD_URL',
  /** No namespace, or not that of the protocol. */
  'NAMESPACE',
  'LASTMOD_INVALID',
  'LASTMOD_FUTURE',
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];
export type Severity = 'error' | 'warning';

/** Ends the reading of one sitemap, or the way to it. What was read before stays read; the verdict is incomplete. */
export class SitemapError extends Error {
  override readonly name = 'SitemapError';
  readonly code: ProblemCode;
  /** Another try may help (a reset, a 503). */
  readonly transient: boolean;
  /** What the server asked for, when it was longer than this process waits. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    options: ErrorOptions & { transient?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(message, options);
    this.code = code;
    this.transient = options.transient ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}
