import { compileGlobs } from './globs.ts';
import { compileHosts } from './hosts.ts';
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
    const path = getPath(url, slash);
    if (!noneExcluded && excluded(path)) return 'excluded';
    return everyPath || included(path) ? null : 'not-included';
  };
}

/** The path of a normalized URL whose origin ends before `slash`, without its query. */
function getPath(url: Url, slash: number): string {
  const query = url.indexOf('?', slash);
  return query === -1 ? url.slice(slash) : url.slice(slash, query);
}

function makeOriginRule({ schemes, hosts = [] }: ScopeOptions): (origin: string) => SkipReason | null {
  const allowedSchemes = new Set((schemes ?? ['http', 'https']).map((scheme) => `${scheme.toLowerCase()}:`));
  const isHost = compileHosts(hosts);
  return (origin) => {
    const url = new URL(origin);
    if (!allowedSchemes.has(url.protocol)) return 'scheme';
    return isHost(url) ? null : 'host';
  };
}

/** A line of a watch's scope as its configuration has it, such as `exclude /drafts/**`. */
export type ScopeRule = `${'host' | 'include' | 'exclude'} ${string}`;

export const listScopeRules = ({ hosts = [], include = [], exclude = [] }: ScopeOptions): ScopeRule[] => [
  ...hosts.map((host): ScopeRule => `host ${host}`),
  ...include.map((glob): ScopeRule => `include ${glob}`),
  ...exclude.map((glob): ScopeRule => `exclude ${glob}`),
];

/** Finds out which rules of a scope match something. A rule costs a comparison a URL until its first match. */
export interface RuleMatches {
  /** `reason`: what the scope said of the URL. Globs count on the watch's hosts only. */
  add(url: Url, reason: SkipReason | null): void;
  /** In the order of the configuration. */
  list(): readonly ScopeRule[];
  /** Every rule has matched something: `add` finds no more. */
  readonly isDone: boolean;
}

export function createRuleMatches(options: ScopeOptions): RuleMatches {
  const matched: ScopeRule[] = [];
  let hosts = (options.hosts ?? []).map((host) => ({
    rule: `host ${host}` as ScopeRule,
    matches: compileHosts([host]),
  }));
  let globs = (['include', 'exclude'] as const).flatMap((kind) =>
    (options[kind] ?? []).map((glob) => ({ rule: `${kind} ${glob}` as ScopeRule, matches: compileGlobs([glob]) })),
  );
  let lastOrigin = '\n';
  return {
    add(url, reason) {
      if (hosts.length === 0 && globs.length === 0) return;
      const slash = url.indexOf('/', 8);
      if (hosts.length > 0 && (slash !== lastOrigin.length || !url.startsWith(lastOrigin))) {
        lastOrigin = url.slice(0, slash);
        const origin = new URL(lastOrigin);
        hosts = take(hosts, origin, matched);
      }
      if (globs.length === 0 || reason === 'scheme' || reason === 'host') return;
      globs = take(globs, getPath(url, slash), matched);
    },
    list: () => listScopeRules(options).filter((rule) => matched.includes(rule)),
    get isDone() {
      return hosts.length === 0 && globs.length === 0;
    },
  };
}

/** The rules that do not match; those that do are added to `matched`. */
function take<Part, Rule extends { readonly rule: ScopeRule; matches(part: Part): boolean }>(
  rules: Rule[],
  part: Part,
  matched: ScopeRule[],
): Rule[] {
  if (!rules.some((each) => each.matches(part))) return rules;
  return rules.filter(({ rule, matches }) => {
    const isMatch = matches(part);
    if (isMatch) matched.push(rule);
    return !isMatch;
  });
}
