import type { ServiceLevel } from '../../contract/states.ts';

/** When to look at a job. All lengths in milliseconds. */
export interface Looks {
  /** From acceptance to the first look: when the job may be ready (spec 2.3). */
  readonly firstMs: number;
  /** Wait after the first look. */
  readonly minMs: number;
  readonly maxMs: number;
  /** Factor from one wait to the next. */
  readonly growth: number;
  /** A job still open at this age is overdue: a person should ask the service. */
  readonly patienceMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Fast jobs are looked at from five minutes on, every 10 to 30 s at first as the specification suggests, then rarer.
 * Standard jobs from three hours on, every 10 minutes growing to an hour: some 190 looks in seven days.
 */
export const DEFAULT_LOOKS: Readonly<Record<ServiceLevel, Looks>> = {
  fast: { firstMs: 5 * MINUTE, minMs: 10 * SECOND, maxMs: 5 * MINUTE, growth: 1.5, patienceMs: DAY },
  standard: { firstMs: 3 * HOUR, minMs: 10 * MINUTE, maxMs: HOUR, growth: 1.5, patienceMs: 8 * DAY },
};

export type NextLook = { readonly kind: 'in'; readonly waitMs: number } | { readonly kind: 'overdue' };

/**
 * The wait before the next look at a job that is open at this age, after so many looks. The last look falls on the end
 * of the patience, not after it.
 */
export function nextLook(looks: Looks, looksSoFar: number, ageMs: number): NextLook {
  const left = looks.patienceMs - ageMs;
  if (left <= 0) return { kind: 'overdue' };
  const wait =
    looksSoFar === 0
      ? Math.max(looks.firstMs - ageMs, 0)
      : Math.min(looks.minMs * looks.growth ** Math.min(looksSoFar - 1, 1_000), looks.maxMs);
  return { kind: 'in', waitMs: Math.ceil(Math.min(wait, left)) };
}
