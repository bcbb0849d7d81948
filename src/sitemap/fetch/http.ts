import { type Dispatcher, errors, request } from 'undici';
import type { KnownSitemap } from '../events.ts';
import { SitemapError } from '../problems.ts';
import { type AddressGuard, literalRefusal, privateHost } from './address-guard.ts';
import type { HostPolicy } from './host-policy.ts';
import { isTransientStatus, retryAfterMs } from './retry.ts';

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface HttpContext {
  readonly dispatcher: Dispatcher;
  readonly guard: AddressGuard;
  readonly policy: HostPolicy;
  readonly userAgent: string;
  /** Sent to the hosts of the sources and to no other, and never from https down to http: they may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly headerOrigins: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly idleMs: number;
  readonly now: () => number;
}

export type HttpAnswer =
  | {
      readonly kind: 'body';
      readonly bytes: AsyncIterable<Buffer>;
      /** Gives the connection back when nobody wants the bytes. */
      readonly discard: () => void;
      readonly location: URL;
      readonly contentType: string | undefined;
      readonly contentEncoding: string | undefined;
      readonly etag: string | undefined;
      readonly lastModified: string | undefined;
    }
  | { readonly kind: 'not-modified'; readonly location: URL };

/**
 * GET with redirects, each of them judged like the first address: scheme, host policy, private addresses. Validators of
 * the last good visit are sent where they came from, and nowhere else. Throws SitemapError.
 */
export async function openHttp(url: URL, known: KnownSitemap | undefined, context: HttpContext): Promise<HttpAnswer> {
  const seen = new Set<string>();
  let at = url;
  for (;;) {
    seen.add(at.href);
    judge(at, url, context);
    const response = await get(at, known, context);
    const { statusCode: status, headers } = response;
    if (status === 304 && known !== undefined) {
      await response.body.dump();
      return { kind: 'not-modified', location: at };
    }
    if (REDIRECTS.has(status)) {
      await response.body.dump();
      at = target(one(headers.location), at, status);
      if (seen.has(at.href)) throw new SitemapError('REDIRECT_LOOP', `redirects lead back to ${printable(at)}`);
      if (seen.size > MAX_REDIRECTS)
        throw new SitemapError('TOO_MANY_REDIRECTS', `more than ${MAX_REDIRECTS} redirects`);
      continue;
    }
    if (status !== 200) {
      await response.body.dump();
      throw statusError(status, one(headers['retry-after']), context.now());
    }
    return {
      kind: 'body',
      bytes: notDripping(readBody(response, context.signal), context.idleMs),
      discard: () => response.body.destroy(),
      location: at,
      contentType: one(headers['content-type']),
      contentEncoding: one(headers['content-encoding']),
      etag: one(headers.etag),
      lastModified: one(headers['last-modified']),
    };
  }
}

function judge(at: URL, first: URL, { policy, guard }: HttpContext): void {
  const hop = at === first ? '' : `, where ${printable(first)} redirects to,`;
  if (at.protocol !== 'http:' && at.protocol !== 'https:') {
    throw new SitemapError('BAD_URL', `a redirect leads to a ${at.protocol} address, which is not opened`);
  }
  if (at.username !== '' || at.password !== '')
    throw new SitemapError('BAD_URL', 'a redirect leads to an address with credentials');
  const why = literalRefusal(guard, at.hostname);
  if (why !== null) throw privateHost(at.hostname, why);
  if (!policy.allows(at)) {
    throw new SitemapError(
      'OFF_HOST',
      `${at.hostname}${hop} is not a host of the source. Allow it by name, or any host`,
    );
  }
}

async function get(at: URL, known: KnownSitemap | undefined, context: HttpContext): Promise<Dispatcher.ResponseData> {
  const isWhereKnown = known !== undefined && at.href === known.location;
  const headers: Record<string, string> = {
    accept: 'application/xml, text/xml, text/plain, application/rss+xml, application/atom+xml, */*;q=0.5',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': context.userAgent,
    ...(isWhereKnown && known.etag !== undefined ? { 'if-none-match': known.etag } : {}),
    ...(isWhereKnown && known.lastModified !== undefined ? { 'if-modified-since': known.lastModified } : {}),
    ...(context.headerOrigins.has(at.origin) ? context.headers : {}),
  };
  try {
    const response = await request(at.href, { dispatcher: context.dispatcher, signal: context.signal, headers });
    // A body that is destroyed after it has arrived emits an error although nobody reads it any more. Without a listener
    // that error would end the process. Whoever reads the body still gets it.
    response.body.on('error', () => undefined);
    return response;
  } catch (error) {
    throw networkError(error, context.signal);
  }
}

async function* readBody({ body }: Dispatcher.ResponseData, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    throw error instanceof SitemapError ? error : networkError(error, signal);
  } finally {
    body.destroy();
  }
}

/** As much must come within the time in which a body may pause. */
const LEAST_BYTES = 1_024;

/** Ends a body that comes too slowly to ever end. Only waiting for bytes counts, not what the consumer does with them. */
async function* notDripping(body: AsyncGenerator<Buffer>, idleMs: number): AsyncGenerator<Buffer> {
  let waited = 0;
  let bytes = 0;
  let since = performance.now();
  for await (const chunk of body) {
    waited += performance.now() - since;
    bytes += chunk.length;
    if (bytes >= LEAST_BYTES) {
      waited = 0;
      bytes = 0;
    } else if (waited > idleMs)
      throw new SitemapError('TIMEOUT', `less than ${LEAST_BYTES} bytes came within ${idleMs} ms`);
    yield chunk;
    since = performance.now();
  }
}

function target(location: string | undefined, at: URL, status: number): URL {
  if (location === undefined || !URL.canParse(location, at.href)) {
    throw new SitemapError('HTTP_STATUS', `HTTP ${status} without an address to go to`);
  }
  const next = new URL(location, at);
  next.hash = '';
  return next;
}

function statusError(status: number, retryAfter: string | undefined, now: number): SitemapError {
  return new SitemapError('HTTP_STATUS', `HTTP ${status}`, {
    transient: isTransientStatus(status),
    retryAfterMs: isTransientStatus(status) ? retryAfterMs(retryAfter, now) : undefined,
  });
}

/** What undici and the system throw, as one of ours. Reasons for an abort come through as they are. */
export function networkError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SitemapError) return cause;
  }
  if (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  ) {
    // Not tried again here: who was silent for so long will be again, and the crawl has others to read.
    return new SitemapError('TIMEOUT', TIMED_OUT[error.code] ?? error.message, { cause: error });
  }
  const { code, message } = innermost(error);
  if (code === 'ERR_INVALID_URL') return new SitemapError('BAD_URL', message, { cause: error });
  return new SitemapError('NETWORK', code === undefined || message.includes(code) ? message : `${message} (${code})`, {
    cause: error,
    transient: true,
  });
}

const TIMED_OUT: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the body stopped coming',
};

/** The system's own words: happy eyeballs wraps them in an AggregateError without any. */
function innermost(error: unknown): { code?: string; message: string } {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  if (!(error instanceof Error)) return { message: String(error) };
  const code = (error as NodeJS.ErrnoException).code;
  return code === undefined ? { message: error.message } : { code, message: error.message };
}

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

/** A URL for a message: without what may be a secret. */
export const printable = (url: URL) => `${url.origin}${url.pathname}`.slice(0, 300);
