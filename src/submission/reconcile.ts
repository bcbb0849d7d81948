import { canonicalUrl } from './canonical-url.ts';
import type { Reference } from './ids.ts';
import { parseTag } from './project-tag.ts';

/** Assume keys are remembered for at least a day. Never resend under a key that may have expired. */
export const DEFAULT_KEY_TRUST_MS = 20 * 3_600_000;

/** New jobs appear in the list with a delay. After this long, an empty list is taken as proof. */
export const DEFAULT_CONFIRM_MS = 30_000;

/**
 * Whether a batch whose outcome is unknown must be looked up in the service's list before its bytes are sent again:
 * with a key that the service has forgotten, the same request would be charged a second time.
 */
export function mustReconcile(firstSentAt: number, now: number, keyTrustMs: number = DEFAULT_KEY_TRUST_MS): boolean {
  return now - firstSentAt >= keyTrustMs;
}

/** A job of the service's list that may be the batch in doubt. Null where the service does not say. */
export interface Candidate {
  readonly reference: Reference;
  readonly project: string | null;
  readonly createdAt: number | null;
  /** How many URLs it has. */
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
  /** The list does not say enough: compare the URLs of the job. */
  | { readonly kind: 'compare-urls' };

/**
 * A job that is older by more than this is not ours. Two clocks differ, and services write the time of their own zone
 * as if it were UTC: taking the job in doubt for another one would buy it twice.
 */
const CLOCK_SKEW_MS = 24 * 3_600_000;

/**
 * Whether a job of the list is the batch in doubt. Our tag in its project proves it; another tag, or an age before the
 * first attempt, disproves it. Otherwise its URLs decide: a number of URLs that differs proves nothing, because services
 * count duplicates and rejected URLs in their own way.
 */
export function findProof(candidate: Candidate, batch: BatchInDoubt): Proof {
  const { project, createdAt } = candidate;
  if (project?.includes(batch.tag) === true) return { kind: 'same' };
  if (project !== null && parseTag(project) !== null) return { kind: 'other' };
  if (createdAt !== null && createdAt < batch.firstSentAt - CLOCK_SKEW_MS) return { kind: 'other' };
  return { kind: 'compare-urls' };
}

/**
 * Whether a job that holds our first URL is ours, by all the URLs that it shows, in whatever order and form. It is
 * another only when that is certain: a service that lists its URLs late, in part or in a form of its own must not make
 * us buy them again.
 */
export function compareUrls(ours: readonly string[], theirs: readonly string[]): 'same' | 'other' | 'unsure' {
  const mine = new Set(ours.map(canonicalUrl));
  const shown = new Set(theirs.map(canonicalUrl));
  const strange = [...shown].filter((url) => !mine.has(url)).length;
  if (strange === 0) return shown.size === mine.size ? 'same' : 'unsure';
  return shown.size === mine.size ? 'unsure' : 'other';
}
