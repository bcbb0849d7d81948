import { LIMITS } from '../../contract/limits.ts';

/** A normalized absolute http(s) URL without a fragment: what the ledger stores and what is submitted. */
export type Url = string & { readonly __brand: 'Url' };

/** Why a text cannot be submitted as a page. */
export type BadUrlReason =
  | 'empty'
  /** Longer than the API takes (2,048 characters), as read or after normalisation. */
  | 'too-long'
  /** Not http or https. */
  | 'scheme'
  /** Contains a user name or password. The text is a secret: never print it. */
  | 'credentials'
  /** Relative without a base to resolve it against (a local file). */
  | 'no-base'
  /** The URL parser refuses it, or it is not meant as a URL: a placeholder, Markdown, a host without a scheme, a fragment. */
  | 'malformed';

export type NormalizedUrl =
  | { readonly ok: true; readonly url: Url; readonly relative?: true }
  | { readonly ok: false; readonly reason: BadUrlReason };

const bad = (reason: BadUrlReason): NormalizedUrl => ({ ok: false, reason });

/**
 * The identity of a page (docs/explanation/url-identity.md): the WHATWG URL without its fragment. The host is in lower case and
 * Punycode; the default port and dot segments are removed; characters that must be percent-encoded are. Existing
 * percent-encoding, case, trailing slashes and query order stay as sent, because a server may tell them apart. Idempotent.
 *
 * A relative text is resolved against `base`, and the result has `relative`.
 */
export function normalizeUrl(loc: string, base?: string): NormalizedUrl {
  if (isNormal(loc)) return { ok: true, url: loc as Url };
  const encoded = withLettersEncoded(loc);
  return encoded === undefined ? normalizeSlowly(loc, base) : { ok: true, url: encoded as Url };
}

/** Characters that URL serialization never changes after the host. `'`, `\`, `|`, `^`, brackets and braces are not here. */
const SAFE_AFTER_HOST = /[A-Za-z0-9\-._~!$&()*+,;=:@/?%]*$/y;
const ENCODED_DOT = /%2e/i;
const originsSeen = new Set<string>();
let lastOrigin = '\n';

/**
 * Whether a text is certainly its own normal form. Fast for an origin that was seen before: running the URL parser on
 * every entry would cost more than reading the sitemaps.
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
 * The normal form of a URL whose only difference is letters beyond ASCII after its host; undefined for every other. Whole
 * sites write their URLs this way, and the parser costs three times as much.
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
/** An unexpanded template, anywhere in a text: `{{ site.url }}`, `{% url %}`, `<%= url %>`, `${base}`, `__BASE_URL__`. */
const PLACEHOLDER = /\{\{|\{%[\s-]|<%|\$\{|^(https?:\/\/)?__[A-Z][A-Z_]*__/;
/** A character that XML forbids. The URL parser drops some of them. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f]/;
/** A numeric reference that was not decoded. Its `#` begins no fragment: without it the URL would be another page's. */
const REFERENCE = /&#(?:\d|x[\da-f])/i;
/** Characters that a relative URL never holds unless it begins with `/`, `.` or `?`. */
const NOT_RELATIVE = /[\s{}[\]<>|"^`:\\]/;
/** The end of a host name and not of a file name. */
const FILE_EXTENSION = /\.(x?html?|s?html|php\d?|aspx?|jspx?|cgi|cfm|do|xml|json|txt|md|pdf|jpe?g|png|gif|svg|webp)$/;

function normalizeSlowly(loc: string, base: string | undefined): NormalizedUrl {
  const text = withoutLineBreaks(loc.trim());
  if (text === '') return bad('empty');
  if (PLACEHOLDER.test(text) || CONTROL.test(text) || REFERENCE.test(text)) return bad('malformed');
  const scheme = SCHEME.exec(text)?.[0].toLowerCase();
  if (scheme === undefined || isHostAndPort(text)) return resolve(text, base);
  if (scheme !== 'http:' && scheme !== 'https:') return bad('scheme');
  if (!/^https?:[/\\]{2}/i.test(text)) return bad('malformed');
  return finish(text, undefined);
}

/** `example.com:8080/x` and `localhost:3000` look like a scheme but are a host without one. */
const isHostAndPort = (text: string) => /^[a-z0-9.-]+:\d{1,5}(\/|$)/i.test(text);

/** Generators wrap long URLs. A line end and its indentation are not part of the URL. */
function withoutLineBreaks(text: string): string {
  return /[\t\r\n]/.test(text) ? text.replace(/ *[\t\r\n]\s*/g, '') : text;
}

function resolve(text: string, base: string | undefined): NormalizedUrl {
  // A fragment alone is the sitemap itself, not a page.
  if (/^#|[<>]/.test(text) || isHostAndPort(text)) return bad('malformed');
  if (!/^[/.?]/.test(text) && (NOT_RELATIVE.test(text) || looksLikeHost(text, base))) return bad('malformed');
  if (base === undefined || !/^https?:/i.test(base)) return bad('no-base');
  return finish(text, base);
}

/**
 * `www.shop.example/a` is a host without its scheme, and `http//shop.example` a scheme without its colon; neither is a
 * folder of this name. `about.html` and `v1.2/notes` are relative.
 */
function looksLikeHost(text: string, base: string | undefined): boolean {
  const first = text.toLowerCase().replace(/[/?#].*$/s, '');
  if (/^https?(\/\/|$)/i.test(text) || first.startsWith('www.')) return true;
  if (/^[^.]+(\.[^.]+)*\.([a-z]{2,}|xn--[a-z0-9-]+)$/.test(first) && !FILE_EXTENSION.test(first)) return true;
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
  const href = parsed.href.replace(/#.*$/s, '');
  if (href.length > LIMITS.urlLength) return bad('too-long');
  return base === undefined ? { ok: true, url: href as Url } : { ok: true, url: href as Url, relative: true };
}

/** The parser also accepts hosts like `.`, `a..b` and `$host`; no resolver does. One label is fine: localhost, intranet. */
const isPlausibleHost = (host: string) => host.startsWith('[') || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/.test(host);
