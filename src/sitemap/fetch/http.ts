import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { KnownSitemap } from '../events.ts';
import { SitemapError } from '../problems.ts';
import { type AddressGuard, createPrivateHostError, explainRefusedName } from './address-guard.ts';
import type { Connections } from './connections.ts';
import { Cookies } from './cookies.ts';
import type { HostPolicy } from './host-policy.ts';
import { toPrintable, toStatusError } from './http-error.ts';
import { type BodyEnd, discard, get, getBodyEnd, type RequestTimeouts, readBody } from './request.ts';

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** 203 is the answer of a proxy that changed something on the way. */
const BODY = new Set([200, 203]);

export interface HttpContext {
  readonly connections: Connections;
  readonly guard: AddressGuard;
  readonly policy: HostPolicy;
  readonly userAgent: string;
  /** Sent only to the hosts of the sources, and never from https down to http: they may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly headerOrigins: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly timeouts: RequestTimeouts;
  readonly now: () => number;
}

export type HttpAnswer =
  | {
      readonly kind: 'body';
      readonly bytes: AsyncIterable<Buffer>;
      /** Ask when the bytes are read. */
      readonly getEnd: () => BodyEnd;
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
  const { signal, timeouts } = context;
  const { idleMs } = timeouts;
  const seen = new Set<string>();
  const cookies = new Cookies();
  let at = url;
  for (let redirects = 0; ; redirects += 1) {
    // A site may set a cookie and redirect to the same address, once for each cookie.
    seen.add(`${at.href} ${cookies.get(at.origin)}`);
    check(at, url, context);
    const question = toQuestion(at, known);
    const sent = { ...toHeaders(at, cookies, context), ...question };
    const response: IncomingMessage = await get(at, { ...context, headers: sent });
    const { statusCode: status = 0, headers } = response;
    if (status === 304 && known !== undefined && Object.keys(question).length > 0) {
      await discard(response, at, signal, idleMs);
      return { kind: 'not-modified', location: at, known };
    }
    if (REDIRECTS.has(status)) {
      await discard(response, at, signal, idleMs);
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
      await discard(response, at, signal, idleMs);
      throw toStatusError(status, at, url, getFirst(headers['retry-after']), context.now());
    }
    return {
      kind: 'body',
      bytes: readBody(response, at, signal, idleMs),
      getEnd: () => getBodyEnd(response),
      discard: () => response.destroy(),
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
  if (at.port === '0') throw new SitemapError('BAD_URL', `no connection can be made to port 0 of ${at.hostname}${hop}`);
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

/** The headers that ask whether a sitemap has changed; none where nothing is known of this address. */
function toQuestion(at: URL, known: KnownSitemap | undefined): Record<string, string> {
  if (known === undefined || at.href !== known.location) return {};
  const { etag, lastModified } = known;
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(lastModified === undefined ? {} : { 'if-modified-since': lastModified }),
  };
}

function toHeaders(at: URL, cookies: Cookies, context: HttpContext): Record<string, string> {
  const configured = context.headerOrigins.has(at.origin) ? context.headers : {};
  const cookie = [configured.cookie ?? '', cookies.get(at.origin)].filter((text) => text !== '').join('; ');
  return {
    accept: 'application/xml, text/xml, text/plain, application/rss+xml, application/atom+xml, */*;q=0.5',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': context.userAgent,
    ...configured,
    ...(cookie === '' ? {} : { cookie }),
  };
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

/** Node reads headers as Latin-1; many servers send raw UTF-8, and browsers read it as that. */
function decodeHeader(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header;
}

const getFirst = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);
