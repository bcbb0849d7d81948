import { MAX_PROBLEMS, type Problem } from '../../contract/envelope.ts';
import { LIMITS } from '../../contract/limits.ts';
import { HTTP_URL_PATTERN } from '../../contract/requests.ts';
import { Turns } from '../capacity/yield-to-event-loop.ts';
import { urlIdentity } from './url-identity.ts';

export interface CheckedUrls {
  /** As sent, in order. */
  readonly urls: readonly string[];
  /** What each is compared by. */
  readonly identities: readonly string[];
}

const FORM = new RegExp(HTTP_URL_PATTERN);

/** Why a value cannot be submitted as a URL, or null. */
export function findUrlProblem(url: unknown): string | null {
  if (typeof url !== 'string') return 'must be a string';
  if (isTooLong(url)) return `must have at most ${LIMITS.urlLength} characters`;
  if (!url.isWellFormed()) return 'holds half of a surrogate pair, which is not a character';
  if (!FORM.test(url)) return 'must be an absolute HTTP(S) URL without white space, user name and password';
  return URL.canParse(url) ? null : 'is not a valid URL';
}

/** Characters are code points: one or two units each. */
function isTooLong(url: string): boolean {
  if (url.length <= LIMITS.urlLength) return false;
  return url.length > 2 * LIMITS.urlLength || [...url].length > LIMITS.urlLength;
}

/** Every wrong item of a list, the first hundred. Other work continues meanwhile. */
export async function findWrongUrls(urls: readonly unknown[]): Promise<Problem[]> {
  const problems: Problem[] = [];
  const turn = new Turns();
  for (let index = 0; index < urls.length && problems.length < MAX_PROBLEMS; index++) {
    const url = urls[index];
    const reason = findUrlProblem(url);
    if (reason !== null) problems.push({ field: 'urls', index, reason });
    const pausing = turn.spend(typeof url === 'string' ? url.length : 1);
    if (pausing !== undefined) await pausing;
  }
  return problems;
}

export interface ComparedUrls extends CheckedUrls {
  /** Repeated URLs, the first hundred. */
  readonly problems: readonly Problem[];
}

/**
 * Compares valid URLs (spec 2.2, 2.4): no two may be the same. `url` beside `urls` goes first and counts once when
 * `urls` has it too.
 */
export async function compareUrls(urls: readonly string[], single?: string): Promise<ComparedUrls> {
  const problems: Problem[] = [];
  const identities: string[] = new Array(urls.length);
  const seen = new Map<string, number>();
  const turn = new Turns();
  for (const [index, url] of urls.entries()) {
    const identity = urlIdentity(url);
    identities[index] = identity;
    const first = seen.get(identity);
    if (first === undefined) seen.set(identity, index);
    else if (problems.length < MAX_PROBLEMS) {
      problems.push({ field: 'urls', index, reason: `is the same URL as the one at index ${first}` });
    }
    const pausing = turn.spend(url.length);
    if (pausing !== undefined) await pausing;
  }
  if (single === undefined) return { urls, identities, problems };
  const identity = urlIdentity(single);
  if (seen.has(identity)) return { urls, identities, problems };
  return { urls: [single, ...urls], identities: [identity, ...identities], problems };
}
