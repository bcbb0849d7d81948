import type { Reason } from './reason.ts';

/** How often a failed URL is bought again: at most `times`, first after `afterMs`, then after twice as long each time. */
export interface RetryFailedPolicy {
  readonly times: number;
  readonly afterMs: number;
}

export type NextGeneration =
  /** It may be planned again from then on, as the next generation. */
  | { readonly kind: 'again'; readonly notBefore: number }
  /** It stays until you release it. */
  | { readonly kind: 'quarantine'; readonly reason: Reason };

/** Waits never grow beyond this. */
const LONGEST_WAIT_MS = 30 * 86_400_000;

/**
 * What becomes of a URL whose generation failed at `failedAt`, after so many failures in a row (this one included).
 * Every further generation is charged again, so the number of them is a setting and ends in quarantine.
 */
export function nextGeneration(
  failures: number,
  failedAt: number,
  policy: RetryFailedPolicy,
  serverReason: string | null = null,
): NextGeneration {
  if (!Number.isInteger(failures) || failures < 1) throw new RangeError(`failures count from 1, not ${failures}`);
  if (failures > policy.times) {
    return { kind: 'quarantine', reason: { code: 'failed_too_often', failures, text: serverReason } };
  }
  const wait = Math.min(policy.afterMs * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return { kind: 'again', notBefore: failedAt + wait };
}
