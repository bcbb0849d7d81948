import { SitemapError } from '../problems.ts';
import { findProxies } from './proxy.ts';
import { isTransientStatus, parseRetryAfter } from './retry.ts';

/** A URL for a message: without its query, which may hold a secret. */
export const toPrintable = (url: URL) => `${url.origin}${url.pathname}`.slice(0, 300);

/** What a status means, which address answered with it, and what helps. `first` is the address before redirects. */
export function toStatusError(status: number, at: URL, first: URL, retryAfter: string | undefined, now: number) {
  const from = at.href === first.href ? '' : ` from ${toPrintable(at)}, where it redirects to`;
  const isTransient = isTransientStatus(status);
  const retryAfterMs = isTransient ? parseRetryAfter(retryAfter, now) : undefined;
  const wait = retryAfterMs === undefined ? '' : `; the server asks to wait ${formatWait(retryAfterMs)}`;
  return new SitemapError('HTTP_STATUS', `HTTP ${status}${from}${wait}${STATUS_ADVICE[status] ?? ''}`, {
    transient: isTransient,
    retryAfterMs,
    limitsHost: status === 429,
  });
}

const ACCESS =
  '; if the site needs credentials or knows only certain user agents, use --header or --user-agent (in a watch: headers)';
const STATUS_ADVICE: Readonly<Record<number, string>> = {
  304: ', which answers a question that was not asked: a cache before the site is wrong',
  401: ACCESS,
  403: ACCESS,
  407: '; the proxy needs credentials: put them in the URL of HTTP_PROXY or HTTPS_PROXY',
};

/** A duration of a Retry-After, rounded up. */
export function formatWait(ms: number): string {
  if (ms < 120_000) return `${Math.ceil(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.ceil(ms / 60_000)} min`;
  return `${Math.ceil(ms / 3_600_000)} h`;
}

/** An error of Node or of the system as a SitemapError. Returns the reason of an aborted signal unchanged. */
export function toNetworkError(error: unknown, at: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof SitemapError) return cause;
  }
  const found = findInnermost(error);
  if (found.code === 'ERR_INVALID_URL') return new SitemapError('BAD_URL', found.message, { cause: error });
  const code = toTlsCode(found) ?? found.code;
  const tls = code === undefined ? undefined : explainTls(code);
  if (tls !== undefined) return new SitemapError('NETWORK', `${tls} (${code})`, { cause: error });
  const proxy = findProxies(process.env).find(({ url }) => isSameServer(url, found, at));
  const message = proxy === undefined ? explain(found, at) : `the proxy of ${proxy.variable}: ${explain(found, at)}`;
  return new SitemapError('NETWORK', message, { cause: error, transient: true });
}

interface SystemError {
  readonly message: string;
  readonly code?: string | undefined;
  readonly address?: string | undefined;
  readonly port?: number | undefined;
  readonly hostname?: string | undefined;
}

/** The error of the system: the parallel connections of Node wrap it. */
function findInnermost(error: unknown): SystemError {
  if (error instanceof AggregateError && error.errors.length > 0) return findInnermost(error.errors[0]);
  if (!(error instanceof Error)) return { message: String(error) };
  return error as Error & SystemError;
}

function explain({ code, message }: SystemError, at: URL): string {
  const known = code === undefined ? undefined : EXPLAINED[code];
  const detail = message.replace(/\s+/g, ' ').trim().slice(0, 300);
  if (message === 'aborted' || message === 'socket hang up') return CLOSED;
  if (known !== undefined) return `${known.replace('HOST', at.host)} (${code})`;
  if (code?.startsWith('HPE_')) return `the answer of the server is not valid HTTP: ${detail} (${code})`;
  return code === undefined || detail.includes(code) ? detail : `${detail} (${code})`;
}

const EXPLAINED: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host HOST has no address in DNS; check its spelling',
  EAI_AGAIN: 'DNS did not answer for HOST',
  ECONNRESET: 'the connection was reset',
};

const CLOSED = 'the server closed the connection before the end of its answer (ECONNRESET)';

/** An EPROTO names its reason in the message only: `…:SSL routines:function:wrong version number:…`. */
function toTlsCode({ code, message }: SystemError): string | undefined {
  const reason = code === 'EPROTO' ? /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1] : undefined;
  return reason === undefined ? undefined : `ERR_SSL_${reason.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}`;
}

/** Faults of TLS and certificates stay until somebody repairs them, so they are not retried. */
function explainTls(code: string): string | undefined {
  if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(code)) return 'the server supports no current version of TLS';
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code)) {
    return 'the server does not speak TLS on this port; try the address with http://';
  }
  if (code === 'CERT_HAS_EXPIRED') return 'the certificate of the server has expired';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'the certificate of the server is for another host';
  if (/SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(code)) {
    return 'the certificate of the server is not trusted; add its authority with NODE_EXTRA_CA_CERTS';
  }
  if (/^CERT_/.test(code)) return 'the certificate of the server is not valid';
  return /^ERR_SSL_/.test(code) ? 'no TLS connection could be made' : undefined;
}

/** Whether an error is about the connection to a proxy and not to the site. */
function isSameServer(proxy: URL, { port, address, hostname }: SystemError, at: URL): boolean {
  const proxyPort = Number(proxy.port) || (proxy.protocol === 'https:' ? 443 : 80);
  if (hostname !== undefined) return hostname === proxy.hostname && hostname !== at.hostname;
  if (port === undefined || port !== proxyPort) return false;
  return address === proxy.hostname || port !== (Number(at.port) || (at.protocol === 'https:' ? 443 : 80));
}
