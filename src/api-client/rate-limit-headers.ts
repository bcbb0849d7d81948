import type { HeaderBudget } from '../submission/answer.ts';
import { getHeader, type ResponseHeaders } from './headers.ts';
import { readReset } from './http-time.ts';
import { type Item, readItems } from './structured-fields.ts';

const WINDOWS: Readonly<Record<string, number>> = {
  second: 1,
  sec: 1,
  minute: 60,
  min: 60,
  minutely: 60,
  hour: 3_600,
  hourly: 3_600,
  day: 86_400,
  daily: 86_400,
};

const KINDS: Readonly<Record<string, 'limit' | 'remaining' | 'reset'>> = {
  limit: 'limit',
  remaining: 'remaining',
  remain: 'remaining',
  left: 'remaining',
  available: 'remaining',
  reset: 'reset',
};

/**
 * Reads the budgets from rate-limit headers in any of the usual dialects; the names are not specified (section 8):
 * Kong's `X-RateLimit-Remaining-Minute`, the plain `X-RateLimit-*` triple, one header with a value per window, and the
 * IETF drafts 0 to 11 (triple, dictionary, lists with r/t or a/w). Ignores malformed headers, never throws.
 */
export function readBudgets(headers: ResponseHeaders, now: number): HeaderBudget[] {
  const policies = parsePolicies(headers);
  return [...namedByHeader(headers, policies, now), ...ietf(headers, policies)].filter(
    ({ limit, remaining }) => limit !== null || remaining !== null,
  );
}

type Draft = { -readonly [Key in keyof HeaderBudget]: HeaderBudget[Key] };

/** Headers whose names say what they hold: the kind and, in most dialects, the window. */
function namedByHeader(headers: ResponseHeaders, policies: readonly Policy[], now: number): HeaderBudget[] {
  const drafts = new Map<string, Draft>();
  const set = (scope: string, window: number | null, kind: 'limit' | 'remaining' | 'reset', text: string) => {
    const id = `${scope} ${window}`;
    const draft = drafts.get(id) ?? { scope, windowSeconds: window, limit: null, remaining: null, resetMs: null };
    if (kind === 'reset') draft.resetMs = readReset(text, headers, now);
    else draft[kind] = count(text);
    drafts.set(id, draft);
  };
  for (const name of Object.keys(headers)) {
    const words = splitWords(name);
    if (words === null) continue;
    const kind = words.map((word) => KINDS[word]).find((each) => each !== undefined);
    if (kind === undefined) continue;
    const scope = words.filter((word) => KINDS[word] === undefined && WINDOWS[word] === undefined).join('-');
    const window = words.map((word) => WINDOWS[word]).find((each) => each !== undefined) ?? null;
    const value = getHeader(headers, name) ?? '';
    const perWindow = [...value.matchAll(/\b([a-z]+)\s*[=:]\s*([^,;\s]+)/gi)].flatMap(([, word = '', text = '']) => {
      const seconds = WINDOWS[word.toLowerCase()];
      return seconds === undefined ? [] : [{ seconds, text }];
    });
    if (perWindow.length === 0) set(scope, window, kind, kind === 'reset' ? value : (value.split(/[,;]/)[0] ?? ''));
    for (const { seconds, text } of perWindow) set(scope, seconds, kind, text);
  }
  return [...drafts.values()].map((draft) =>
    draft.windowSeconds === null ? { ...draft, windowSeconds: findWindowByLimit(draft.limit, policies) } : draft,
  );
}

/** The parts of a name such as "x-ratelimit-remaining-minute" without the rate-limit prefix; null for other headers. */
function splitWords(name: string): string[] | null {
  const plain = name.toLowerCase().replace('rate-limit', 'ratelimit');
  if (!plain.includes('ratelimit') || plain.includes('policy')) return null;
  return plain.split('-').filter((word) => word !== 'x' && word !== 'ratelimit');
}

interface Policy {
  readonly name: string;
  readonly limit: number | null;
  readonly windowSeconds: number | null;
}

/** `RateLimit-Policy: "burst";q=100;w=60` (drafts 8 to 11), `100;w=60` (3 to 7) or inside `RateLimit-Limit` (0 to 2). */
function parsePolicies(headers: ResponseHeaders): Policy[] {
  const written = getHeader(headers, 'ratelimit-policy') ?? getHeader(headers, 'ratelimit-limit') ?? '';
  return readItems(written).map(({ name, parameters }) => ({
    name,
    limit: count(parameters.q ?? name),
    windowSeconds: count(parameters.w ?? '') ?? findWindowByName(name),
  }));
}

/** One `RateLimit` header: a dictionary (draft 7) or a list of policies (8 to 11; a/w are to replace r/t). */
function ietf(headers: ResponseHeaders, policies: readonly Policy[]): HeaderBudget[] {
  const items = readItems(getHeader(headers, 'ratelimit') ?? '');
  const [dictionary] = parseParameters(items, policies);
  if (dictionary !== undefined) return [dictionary];
  return items.map(({ name, parameters }) => {
    const policy = policies.find((each) => each.name === name);
    const reset = count(parameters.t ?? parameters.w ?? '');
    return {
      scope: findScope(name),
      windowSeconds: policy?.windowSeconds ?? findWindowByName(name),
      limit: policy?.limit ?? null,
      remaining: count(parameters.r ?? parameters.a ?? ''),
      resetMs: reset === null ? null : reset * 1_000,
    };
  });
}

function parseParameters(items: readonly Item[], policies: readonly Policy[]): HeaderBudget[] {
  const values = new Map(items.flatMap(({ name, value }) => (value === null ? [] : [[name, count(value)] as const])));
  const remaining = values.get('remaining') ?? null;
  if (remaining === null) return [];
  const limit = values.get('limit') ?? null;
  const reset = values.get('reset') ?? null;
  return [
    {
      scope: '',
      windowSeconds: findWindowByLimit(limit, policies),
      limit,
      remaining,
      resetMs: reset === null ? null : reset * 1_000,
    },
  ];
}

const findWindowByLimit = (limit: number | null, policies: readonly Policy[]): number | null =>
  policies.find((policy) => limit !== null && policy.limit === limit && policy.windowSeconds !== null)?.windowSeconds ??
  null;

function findWindowByName(name: string): number | null {
  const words = name.toLowerCase().split(/[^a-z]+/);
  return words.map((word) => WINDOWS[word]).find((window) => window !== undefined) ?? null;
}

/** The part of a policy's name that limits it to something in particular. */
const findScope = (name: string): string => (/submi|check/i.test(name) ? name.toLowerCase() : '');

/** A non-negative integer; null for anything else. */
function count(text: string): number | null {
  const plain = text.trim();
  return /^\d{1,12}(\.0+)?$/.test(plain) ? Number(plain) : null;
}
