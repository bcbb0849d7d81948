import { MAX_PROBLEMS, type Problem } from '../../contract/envelope.ts';
import { LIMITS } from '../../contract/limits.ts';
import { HTTP_URL_PATTERN } from '../../contract/requests.ts';
import { urlIdentity } from './url-identity.ts';

export interface CheckedUrls {
  /** As sent, in order. */
  readonly urls: readonly string[];
  /** What each is compared by. */
  readonly identities: readonly string[];
  /** The wrong ones, the first 100; empty when all is well. */
  readonly problems: readonly Problem[];
}

const FORM = new RegExp(HTTP_URL_PATTERN);

/** Why a value cannot be submitted as a URL, or null. */
export function urlProblem(url: unknown): string | null {
  if (typeof url !== 'string') return 'must be a string';
  if (url.length > LIMITS.urlLength && [...url].length > LIMITS.urlLength) {
    return `must have at most ${LIMITS.urlLength} characters`;
  }
  if (!url.isWellFormed()) return 'holds half of a surrogate pair, which is not a character';
  if (!FORM.test(url)) return 'must be an absolute HTTP(S) URL without white space';
  return URL.canParse(url) ? null : 'is not a valid URL';
}

/**
 * Every wrong item of a body that the schema refused at its first breach: the items of `urls` by index, else what the
 * schema said.
 */
export function wrongItems(body: unknown, said: readonly Problem[], maxItems: number): readonly Problem[] {
  const { urls } = (body ?? {}) as { urls?: unknown };
  if (!Array.isArray(urls) || urls.length > maxItems) return said;
  const items: Problem[] = [];
  for (let index = 0; index < urls.length && items.length < MAX_PROBLEMS; index++) {
    const reason = urlProblem(urls[index]);
    if (reason !== null) items.push({ field: 'urls', index, reason });
  }
  const others = said.filter(({ field }) => field !== 'urls');
  if (items.length === 0) items.push(...checkUrls(urls as string[]).problems);
  return items.length + others.length === 0 ? said : [...others, ...items].slice(0, MAX_PROBLEMS);
}

/**
 * Compares the valid URLs of a request (spec 2.2, 2.4): no two may be the same. `url` beside `urls` goes first and
 * counts once when `urls` has it too.
 */
export function checkUrls(urls: readonly string[], single?: string): CheckedUrls {
  const problems: Problem[] = [];
  const identities: string[] = new Array(urls.length);
  const seen = new Map<string, number>();
  const report = (problem: Problem) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  for (let index = 0; index < urls.length; index++) {
    const url = urls[index]!;
    const identity = urlIdentity(url);
    identities[index] = identity;
    const first = seen.get(identity);
    if (first === undefined) seen.set(identity, index);
    else report({ field: 'urls', index, reason: `is the same URL as the one at index ${first}` });
  }
  if (single === undefined) return { urls, identities, problems };
  const identity = urlIdentity(single);
  if (seen.has(identity)) return { urls, identities, problems };
  return { urls: [single, ...urls], identities: [identity, ...identities], problems };
}
