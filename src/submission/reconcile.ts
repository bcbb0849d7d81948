import { canonicalUrl } from './canonical-url.ts';
import { hasPassed, isFromFuture } from './clock.ts';
import type { Reference } from './ids.ts';
import { parseTag } from './project-tag.ts';

/** Services are assumed to remember keys for at least a day. Never resend with a key that may have expired. */
export const DEFAULT_KEY_TRUST_MS = 20 * 3_600_000;

/** New jobs appear in the list with a delay. After this long, absence from the list counts as proof. */
export const DEFAULT_CONFIRM_MS = 30_000;

/**
 * Whether a batch in doubt must be looked up in the service's list before its bytes are sent again: with a key that the
 * service has forgotten, the same request would be charged a second time. So must one whose time lies in the future.
 */
export function mustReconcile(firstSentAt: number, now: number, keyTrustMs: number = DEFAULT_KEY_TRUST_MS): boolean {
  return hasPassed(firstSentAt, keyTrustMs, now);
}

/** How long ago a first attempt whose time is wrong can have been: an older batch was looked up before. */
const UNKNOWN_SINCE_MS = 30 * 24 * 3_600_000;

/** The earliest time at which a batch in doubt can have been sent first: a clock that was ahead does not rule its job out. */
export const findFirstSent = (recordedAt: number, now: number): number =>
  isFromFuture(recordedAt, now) ? now - UNKNOWN_SINCE_MS : recordedAt;

/** A job in the service's list that may be the batch in doubt. Unreported fields are null. */
export interface Candidate {
  readonly reference: Reference;
  readonly project: string | null;
  readonly createdAt: number | null;
  readonly urlCount: number | null;
}

export interface BatchInDoubt {
  readonly tag: string;
  readonly urls: readonly string[];
  readonly firstSentAt: number;
}

export type Proof =
  | { readonly kind: 'same' }
  | { readonly kind: 'other' }
  /** The list entry is inconclusive: compare the job's URLs. */
  | { readonly kind: 'compare-urls' };

/**
 * A job that is older by more than this is not the batch. The tolerance covers clock skew, and services that write local
 * time as if it were UTC: ruling out the right job would buy the batch twice.
 */
const CLOCK_SKEW_MS = 24 * 3_600_000;

/**
 * Whether a job in the list is the batch in doubt. The batch's tag in its project proves it; another tag, or a creation
 * time before the first attempt, disproves it. Otherwise the URLs decide. A different number of URLs proves nothing,
 * because services count duplicates and rejected URLs differently.
 */
export function findProof(candidate: Candidate, batch: BatchInDoubt): Proof {
  const { project, createdAt } = candidate;
  if (project?.includes(batch.tag) === true) return { kind: 'same' };
  if (project !== null && parseTag(project) !== null) return { kind: 'other' };
  if (createdAt !== null && createdAt < batch.firstSentAt - CLOCK_SKEW_MS) return { kind: 'other' };
  return { kind: 'compare-urls' };
}

/**
 * Compares the URLs that a job reports, in any order and form, with those of a batch; the job contains the batch's first
 * URL. 'other' only when that is certain: a service that lists URLs late, partially or in its own form must not cause a
 * second purchase.
 */
export function compareUrls(batchUrls: readonly string[], jobUrls: readonly string[]): 'same' | 'other' | 'unsure' {
  const expected = new Set(batchUrls.map(canonicalUrl));
  const reported = new Set(jobUrls.map(canonicalUrl));
  const hasOthers = [...reported].some((url) => !expected.has(url));
  if (!hasOthers) return reported.size === expected.size ? 'same' : 'unsure';
  return reported.size === expected.size ? 'unsure' : 'other';
}
