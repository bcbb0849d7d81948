import type { Micros } from '../../contract/money.ts';

/** When index-checks are bought. All durations in milliseconds. */
export interface CheckPolicy {
  /** From completion to the first check. */
  readonly afterMs: number;
  /** Minimum time between two checks of a URL. */
  readonly everyMs: number;
  readonly stopWhenFound: boolean;
  /** Fraction of the URLs to check, 0 to 1. */
  readonly sample: number;
  /** After this many consecutive checks without a find, submit the URL once more; null: never. */
  readonly resubmitAfter: number | null;
}

/** When a watch checks the index, and its budget. */
export interface IndexCheckPolicy extends CheckPolicy {
  /** Daily budget for checks alone, within the account's caps; null: only those caps. */
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

/** A URL that was not found for weeks rarely changes: its next check waits a quarter of its age. */
const SHARE_OF_AGE = 1 / 4;

/**
 * When the URL's next check is due; null when it needs none. First after `after`, then every `every` while the URL is
 * young, less often as it ages. A year of weekly checks costs 26 TRY per URL; this schedule costs about 9.
 */
export function nextCheckAt(history: CheckHistory, policy: CheckPolicy): number | null {
  const { completedAt, lastCheckAt, found } = history;
  if (found && policy.stopWhenFound) return null;
  if (lastCheckAt === null) return completedAt + policy.afterMs;
  const age = Math.max(0, lastCheckAt - completedAt);
  return lastCheckAt + Math.max(policy.everyMs, Math.round(age * SHARE_OF_AGE));
}

/** Whether the URL's misses justify one more submission; a URL is resubmitted for this reason once. */
export function resubmissionDue(history: CheckHistory, alreadyResubmitted: boolean, policy: CheckPolicy): boolean {
  if (policy.resubmitAfter === null || alreadyResubmitted || history.found) return false;
  return history.misses >= policy.resubmitAfter;
}

/**
 * Whether the URL belongs to the checked sample. The sample is stable, so that results are comparable over time; a
 * larger share contains every smaller one.
 */
export function inSample(url: string, share: number): boolean {
  return spread(url) < share;
}

/** Hashes a text to an evenly distributed number in [0, 1): FNV-1a with the finalizer of MurmurHash3. */
function spread(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
