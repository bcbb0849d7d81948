import { isUtf8 } from 'node:buffer';
import { type Dispatcher, request } from 'undici';
import type { KnownSitemap } from '../events.ts';
import { SitemapError } from '../problems.ts';
import { type AddressGuard, createPrivateHostError, explainRefusedName } from './address-guard.ts';
import { Cookies } from './cookies.ts';
import type { HostPolicy } from './host-policy.ts';
import { toNetworkError, toPrintable, toStatusError } from './http-error.ts';

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** 203 is the answer of a proxy that changed something on the way. */
const BODY = new Set([200, 203]);

export interface HttpContext {
  readonly dispatcher: Dispatcher;
  readonly guard: AddressGuard;
  readonly policy: HostPolicy;
  readonly userAgent: string;
  /** Sent only to the hosts of the sources, and never from https down to http: they may hold secrets. */
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
      /** Returns the connection when the bytes are not needed. */
      readonly discard: () => void;
      readonly location: URL;
      readonly contentType: string | undefined;
      readonly contentEncoding: string | undefined;
      readonly etag: string | undefined;
      readonly lastModified: string | undefined;
    }
  | { readonly kind: 'not-modified'; readonly location: URL; readonly known: KnownSitemap };

/**
 * GET with redirects. Each address is checked like the first: scheme, host policy, private addresses. The validators of
 * the last complete fetch are sent only to the address that they came from. Throws SitemapError.
 */
export async function openHttp(url: URL, known: KnownSitemap | undefined, context: HttpContext): Promise<HttpAnswer> {
  const seen = new Set<string>();
  const cookies = new Cookies();
  let at = url;
  for (let redirects = 0; ; redirects += 1) {
    // A site may set a cookie and redirect to the same address, once for each cookie.
    seen.add(`${at.href} ${cookies.get(at.origin)}`);
    check(at, url, context);
    const response = await get(at, known, cookies, context);
    const { statusCode: status, headers } = response;
    if (status === 304 && known !== undefined) {
      await dump(response, at, context.signal);
      return { kind: 'not-modified', location: at, known };
    }
    if (REDIRECTS.has(status)) {
      await dump(response, at, context.signal);
      cookies.store(at.origin, headers['set-cookie']);
      at = resolveLocation(getFirst(headers.location), at, status);
      if (seen.has(`${at.href} ${cookies.get(at.origin)}`)) {
        throw new SitemapError('REDIRECT_LOOP', `redirects lead back to ${toPrintable(at)}`);
      }
      if (redirects === MAX_REDIRECTS) {
        throw new SitemapError(
          'TOO_MANY_REDIRECTS',
          `more than ${MAX_REDIRECTS} redirects; the last leads to ${toPrintable(at)}`,
        );
      }
      continue;
    }
    if (!BODY.has(status)) {
      await dump(response, at, context.signal);
      throw toStatusError(status, at, url, getFirst(headers['retry-after']), context.now());
    }
    return {
      kind: 'body',
      bytes: refuseSlowBody(readBody(response, at, context.signal), context.idleMs),
      discard: () => response.body.destroy(),
      location: at,
      contentType: getFirst(headers['content-type']),
      contentEncoding: getFirst(headers['content-encoding']),
      etag: getFirst(headers.etag),
      lastModified: getFirst(headers['last-modified']),
    };
  }
}

function check(at: URL, first: URL, { policy, guard }: HttpContext): void {
  const hop = at === first ? '' : `, where ${toPrintable(first)} redirects to,`;
  if (at.protocol !== 'http:' && at.protocol !== 'https:') {
    throw new SitemapError('BAD_URL', `a redirect leads to a ${at.protocol} address, which is not opened`);
  }
  if (at.username !== '' || at.password !== '') {
    throw new SitemapError('BAD_URL', 'a redirect leads to an address with credentials');
  }
  const why = explainRefusedName(guard, at.hostname);
  if (why !== null) throw createPrivateHostError(at.hostname, why);
  if (!policy.allows(at)) {
    const advice = 'To read it, use --any-host of courier crawl, or name the host under hosts of the watch';
    throw new SitemapError('OFF_HOST', `${at.hostname}${hop} is not a host of the sources. ${advice}`);
  }
}

async function get(
  at: URL,
  known: KnownSitemap | undefined,
  cookies: Cookies,
  context: HttpContext,
): Promise<Dispatcher.ResponseData> {
  const isWhereKnown = known !== undefined && at.href === known.location;
  const configured = context.headerOrigins.has(at.origin) ? context.headers : {};
  const cookie = [configured.cookie ?? '', cookies.get(at.origin)].filter((text) => text !== '').join('; ');
  const headers: Record<string, string> = {
    accept: 'application/xml, text/xml, text/plain, application/rss+xml, application/atom+xml, */*;q=0.5',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': context.userAgent,
    ...(isWhereKnown && known.etag !== undefined ? { 'if-none-match': known.etag } : {}),
    ...(isWhereKnown && known.lastModified !== undefined ? { 'if-modified-since': known.lastModified } : {}),
    ...configured,
    ...(cookie === '' ? {} : { cookie }),
  };
  try {
    const response = await request(at.href, { dispatcher: context.dispatcher, signal: context.signal, headers });
    // A body that is destroyed after it has arrived emits an error although nobody reads it any more. Without a listener
    // that error would end the process. Whoever reads the body still gets it.
    response.body.on('error', () => undefined);
    return response;
  } catch (error) {
    throw toNetworkError(error, at, context.signal);
  }
}

/** Reads a body that is not needed, so that the connection can be used again. */
async function dump({ body }: Dispatcher.ResponseData, at: URL, signal: AbortSignal): Promise<void> {
  try {
    await body.dump();
  } catch (error) {
    throw toNetworkError(error, at, signal);
  }
}

async function* readBody({ body }: Dispatcher.ResponseData, at: URL, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    throw error instanceof SitemapError ? error : toNetworkError(error, at, signal);
  } finally {
    body.destroy();
  }
}

/** The least that must come within the time in which a body may pause. */
const LEAST_BYTES = 1_024;

/** Ends a body that comes too slowly. Only the wait for bytes counts, not what the consumer does with them. */
async function* refuseSlowBody(body: AsyncGenerator<Buffer>, idleMs: number): AsyncGenerator<Buffer> {
  let waited = 0;
  let bytes = 0;
  let since = performance.now();
  for await (const chunk of body) {
    waited += performance.now() - since;
    bytes += chunk.length;
    if (bytes >= LEAST_BYTES) {
      waited = 0;
      bytes = 0;
    } else if (waited > idleMs) {
      throw new SitemapError('TIMEOUT', `less than ${LEAST_BYTES} bytes came within ${idleMs} ms`);
    }
    yield chunk;
    since = performance.now();
  }
}

function resolveLocation(header: string | undefined, at: URL, status: number): URL {
  const location = header === undefined ? undefined : decodeHeader(header);
  if (location === undefined || !URL.canParse(location, at.href)) {
    throw new SitemapError('HTTP_STATUS', `HTTP ${status} from ${toPrintable(at)} without a Location that can be read`);
  }
  const next = new URL(location, at);
  next.hash = '';
  return next;
}

/** undici reads headers as Latin-1; many servers send raw UTF-8, and browsers read it as that. */
function decodeHeader(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header;
}

const getFirst = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
