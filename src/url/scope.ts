import { compileGlobs } from './globs.ts';
import type { Url } from './normalize-url.ts';

/** Why a page does not belong to a watch. */
export type SkipReason = 'scheme' | 'host' | 'not-included' | 'excluded';

export interface ScopeOptions {
  /** Without colon. Default: http and https. */
  readonly schemes?: readonly string[];
  /** `shop.example` is that host on any port, `shop.example:8443` only there, `*.shop.example` every host below it. */
  readonly hosts?: readonly string[];
  /** Globs over the path (not the query): `/products/**`. None means every path. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/**
 * Decides which pages belong to a watch: null for those that do, else the first reason in the order scheme, host,
 * exclude, include. Built once per watch; a call costs one comparison for the origin last seen and one pass over
 * the globs, most of which are plain prefixes.
 */
export function makeScope(options: ScopeOptions): (url: Url) => SkipReason | null {
  const originReason = makeOriginRule(options);
  const excluded = compileGlobs(options.exclude ?? []);
  const included = compileGlobs(options.include ?? []);
  const everyPath = (options.include ?? []).length === 0;
  const noneExcluded = (options.exclude ?? []).length === 0;
  let lastOrigin = '\n';
  let lastReason: SkipReason | null = null;

  return (url) => {
    const slash = url.indexOf('/', 8);
    if (slash !== lastOrigin.length || !url.startsWith(lastOrigin)) {
      lastOrigin = url.slice(0, slash);
      lastReason = originReason(lastOrigin);
    }
    if (lastReason !== null) return lastReason;
    if (everyPath && noneExcluded) return null;
    const query = url.indexOf('?', slash);
    const path = query === -1 ? url.slice(slash) : url.slice(slash, query);
    if (!noneExcluded && excluded(path)) return 'excluded';
    return everyPath || included(path) ? null : 'not-included';
  };
}

function makeOriginRule({ schemes, hosts }: ScopeOptions): (origin: string) => SkipReason | null {
  const allowedSchemes = new Set((schemes ?? ['http', 'https']).map((scheme) => `${scheme.toLowerCase()}:`));
  const names = (hosts ?? []).map(hostInPunycode);
  const exact = new Set(names.filter((name) => !name.startsWith('*.')));
  const below = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  return (origin) => {
    const { protocol, host, hostname } = new URL(origin);
    if (!allowedSchemes.has(protocol)) return 'scheme';
    if (names.length === 0 || exact.has(host) || exact.has(hostname)) return null;
    return below.some((suffix) => host.endsWith(suffix) || hostname.endsWith(suffix)) ? null : 'host';
  };
}

/** Hosts are compared as URLs spell them: lower case, Punycode. */
function hostInPunycode(name: string): string {
  const star = name.startsWith('*.') ? '*.' : '';
  const rest = `https://${name.slice(star.length)}`;
  return star + (URL.canParse(rest) ? new URL(rest).host : name.toLowerCase());
}
