import type { Micros } from '../../contract/money.ts';

/** When index-checks are bought. All lengths in milliseconds. */
export interface CheckPolicy {
  /** From completion to the first check. */
  readonly afterMs: number;
  /** Least wait between two checks of a URL. */
  readonly everyMs: number;
  readonly stopWhenFound: boolean;
  /** Share of the URLs that is checked, 0 to 1. */
  readonly sample: number;
  /** So many checks in a row without a find ask for one more submission; null: none. */
  readonly resubmitAfter: number | null;
}

/** When and for how much a watch checks the index. */
export interface IndexCheckPolicy extends CheckPolicy {
  /** For checks alone, under the caps of the account; null: only those. */
  readonly perDay: Micros | null;
}

export interface CheckHistory {
  /** When the URL's last generation was completed. */
  readonly completedAt: number;
  readonly lastCheckAt: number | null;
  readonly found: boolean;
  /** Checks since that generation that did not find it. */
  readonly misses: number;
}

/** An old URL that was not found for weeks changes slowly: its next check waits a quarter of its age. */
const SHARE_OF_AGE = 1 / 4;

/**
 * When the URL is due for its next check; null when it needs none. The curve: `after`, then every `every` while the URL
 * is young, ever rarer as it grows old. A year of weekly checks costs 26 TRY a URL; on the curve it costs about 9.
 */
export function nextCheckAt(history: CheckHistory, policy: CheckPolicy): number | null {
  const { completedAt, lastCheckAt, found } = history;
  if (found && policy.stopWhenFound) return null;
  if (lastCheckAt === null) return completedAt + policy.afterMs;
  const age = Math.max(0, lastCheckAt - completedAt);
  return lastCheckAt + Math.max(policy.everyMs, Math.round(age * SHARE_OF_AGE));
}

/** Whether the URL's misses ask for its one more submission; a URL is resubmitted for this reason once. */
export function resubmissionDue(history: CheckHistory, alreadyResubmitted: boolean, policy: CheckPolicy): boolean {
  if (policy.resubmitAfter === null || alreadyResubmitted || history.found) return false;
  return history.misses >= policy.resubmitAfter;
}

/**
 * Whether the URL belongs to the sample that is checked. Always the same URLs, so that their series mean something;
 * a larger share contains every smaller one.
 */
export function inSample(url: string, share: number): boolean {
  return spread(url) < share;
}

/** A text as a number in [0, 1), spread evenly: FNV-1a with the finisher of MurmurHash3. */
function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
