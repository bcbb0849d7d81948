import { LIMITS } from '../../contract/limits.ts';

/** A normalized absolute http(s) URL without a fragment: what the ledger stores and what is submitted. */
export type Url = string & { readonly __brand: 'Url' };

/** Why a text is no page that could be submitted. */
export type BadUrlReason =
  | 'empty'
  /** Longer than the API takes (2,048 characters), as read or after normalisation. */
  | 'too-long'
  /** Not http or https. */
  | 'scheme'
  /** Has a user name or password in it. The text is a secret: never print it. */
  | 'credentials'
  /** Relative, and there is nothing to resolve it against (a local file). */
  | 'no-base'
  /** Nothing a URL parser could read, or a text that is plainly no URL: a placeholder, Markdown, a host without scheme. */
  | 'malformed';

export type NormalizedUrl =
  | { readonly ok: true; readonly url: Url; readonly relative?: true }
  | { readonly ok: false; readonly reason: BadUrlReason };

const bad = (reason: BadUrlReason): NormalizedUrl => ({ ok: false, reason });

/**
 * The identity of a page (docs/url-identity.md): WHATWG URL without its fragment, and nothing cleverer. Host in lower
 * case and Punycode, default port and dot segments gone, what must be percent-encoded encoded. Percent-encoding, case,
 * trailing slashes and query order stay as sent, because changing them may mean another page. Idempotent.
 *
 * `base` is what a relative text is resolved against; the result then says `relative`.
 */
export function normalizeUrl(loc: string, base?: string): NormalizedUrl {
  if (isNormal(loc)) return { ok: true, url: loc as Url };
  const encoded = withLettersEncoded(loc);
  return encoded === undefined ? normalizeSlowly(loc, base) : { ok: true, url: encoded as Url };
}

/** Characters that URL serialisation never touches after the host. `'`, `\`, `|`, `^`, brackets and braces are not here. */
const SAFE_AFTER_HOST = /[A-Za-z0-9\-._~!$&()*+,;=:@/?%]*$/y;
const ENCODED_DOT = /%2e/i;
const originsSeen = new Set<string>();
let lastOrigin = '\n';

/**
 * Whether a text certainly is its own normal form. It answers at once for the pages of an origin seen before: a URL
 * parser on every entry of a million would cost more than reading the sitemaps.
 */
export function isNormal(loc: string): boolean {
  let slash = lastOrigin.length;
  if (loc.charCodeAt(slash) !== 0x2f || !loc.startsWith(lastOrigin)) {
    slash = loc.indexOf('/', 8);
    if (slash === -1) return false;
    const origin = loc.slice(0, slash);
    if (!originsSeen.has(origin)) {
      if (!isNormalOrigin(origin)) return false;
      if (originsSeen.size >= 1_000) originsSeen.clear();
      originsSeen.add(origin);
    }
    lastOrigin = origin;
  }
  if (loc.length > LIMITS.urlLength) return false;
  SAFE_AFTER_HOST.lastIndex = slash;
  if (!SAFE_AFTER_HOST.test(loc) || loc.includes('/.', slash)) return false;
  return !loc.includes('%', slash) || !ENCODED_DOT.test(loc);
}

const SAFE_OR_BEYOND_ASCII = /[A-Za-z0-9\-._~!$&()*+,;=:@/?%\u0080-\uffff]*$/y;

/**
 * The normal form of a URL whose only fault is letters beyond ASCII after its host; undefined for every other. Whole
 * sites are written so, and the parser costs three times as much.
 */
function withLettersEncoded(loc: string): string | undefined {
  const slash = lastOrigin.length;
  if (loc.charCodeAt(slash) !== 0x2f || !loc.startsWith(lastOrigin)) return undefined;
  SAFE_OR_BEYOND_ASCII.lastIndex = slash;
  if (!SAFE_OR_BEYOND_ASCII.test(loc) || loc.includes('/.', slash) || ENCODED_DOT.test(loc)) return undefined;
  if (!loc.isWellFormed() || loc.includes('\uFFFD') || loc.trimEnd().length !== loc.length) return undefined;
  const encoded = loc.replace(/[\u0080-\uffff]+/g, encodeURIComponent);
  return encoded.length > LIMITS.urlLength ? undefined : encoded;
}

function isNormalOrigin(origin: string): boolean {
  if (!/^https?:\/\/[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?$/.test(origin) || !URL.canParse(origin)) return false;
  return new URL(origin).origin === origin;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/** Never stands in a reference that a person meant as one: placeholders, Markdown, markup. */
const NO_REFERENCE = /\{\{|\{%|[<>]/;
const NO_PLAIN_REFERENCE = /[\s{}[\]<>|"^`:\\]/;

function normalizeSlowly(loc: string, base: string | undefined): NormalizedUrl {
  const text = withoutLineBreaks(loc.trim());
  if (text === '') return bad('empty');
  const scheme = SCHEME.exec(text)?.[0].toLowerCase();
  if (scheme === undefined || isHostAndPort(text)) return resolve(text, base);
  if (scheme !== 'http:' && scheme !== 'https:') return bad('scheme');
  if (!/^https?:[/\\]{2}/i.test(text)) return bad('malformed');
  return finish(text, undefined);
}

/** `example.com:8080/x` and `localhost:3000` look like a scheme and are a host that lost its scheme. */
const isHostAndPort = (text: string) => /^[a-z0-9.-]+:\d{1,5}(\/|$)/i.test(text);

/** Generators wrap long URLs: a line end with the indentation around it was never part of the URL. */
function withoutLineBreaks(text: string): string {
  return /[\t\r\n]/.test(text) ? text.replace(/ *[\t\r\n]\s*/g, '') : text;
}

function resolve(text: string, base: string | undefined): NormalizedUrl {
  if (NO_REFERENCE.test(text) || isHostAndPort(text)) return bad('malformed');
  if (!/^[/.?#]/.test(text) && (NO_PLAIN_REFERENCE.test(text) || looksLikeHost(text, base))) return bad('malformed');
  if (base === undefined || !/^https?:/i.test(base)) return bad('no-base');
  return finish(text, base);
}

/** `www.shop.example/a` under `https://shop.example/` is that host without its scheme, not a folder of this name. */
function looksLikeHost(text: string, base: string | undefined): boolean {
  const first = text.split(/[/?#]/, 1)[0]!.toLowerCase();
  if (first.startsWith('www.')) return true;
  const host = base !== undefined && URL.canParse(base) ? new URL(base).hostname : '';
  return first === host || `www.${first}` === host;
}

function finish(text: string, base: string | undefined): NormalizedUrl {
  let parsed: URL;
  try {
    parsed = new URL(text, base);
  } catch {
    return bad('malformed');
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return bad('scheme');
  if (parsed.username !== '' || parsed.password !== '') return bad('credentials');
  if (text.includes('\uFFFD') || !isPlausibleHost(parsed.hostname)) return bad('malformed');
  const href = parsed.hash === '' && !parsed.href.endsWith('#') ? parsed.href : parsed.href.split('#', 1)[0]!;
  if (href.length > LIMITS.urlLength) return bad('too-long');
  return base === undefined ? { ok: true, url: href as Url } : { ok: true, url: href as Url, relative: true };
}

/** The parser also takes hosts like `.` or `a..b`; no resolver does. One label is fine: localhost, intranet. */
const isPlausibleHost = (host: string) => host.startsWith('[') || /^[^.]+(\.[^.]+)*\.?$/.test(host);
