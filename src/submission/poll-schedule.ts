import type { ServiceLevel } from '../../contract/states.ts';

/** When to look at a job. All lengths in milliseconds. */
export interface PollPolicy {
  /** From acceptance to the first look: when the job may be ready (spec 2.3). */
  readonly firstMs: number;
  /** Wait after the first look. */
  readonly minMs: number;
  readonly maxMs: number;
  /** Factor from one wait to the next. */
  readonly growth: number;
  /** A job still open at this age is overdue: a person should ask the service. */
  readonly timeoutMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Fast jobs are looked at from five minutes on, every 10 to 30 s at first as the specification suggests, then rarer.
 * Standard jobs from three hours on, every 10 minutes growing to an hour: some 190 looks in seven days.
 */
export const DEFAULT_POLLING: Readonly<Record<ServiceLevel, PollPolicy>> = {
  fast: { firstMs: 5 * MINUTE, minMs: 10 * SECOND, maxMs: 5 * MINUTE, growth: 1.5, timeoutMs: DAY },
  standard: { firstMs: 3 * HOUR, minMs: 10 * MINUTE, maxMs: HOUR, growth: 1.5, timeoutMs: 8 * DAY },
};

export type NextPoll = { readonly kind: 'in'; readonly waitMs: number } | { readonly kind: 'overdue' };

/** The usual wait after so many looks, of which there was at least one. */
export function waitAfter({ minMs, maxMs, growth }: PollPolicy, polls: number): number {
  return Math.min(minMs * growth ** Math.min(polls - 1, 1_000), maxMs);
}

/**
 * The wait before the next look at a job that is open at this age, after so many looks. The last look falls on the end
 * of the patience, not after it.
 */
export function nextPoll(looks: PollPolicy, polls: number, ageMs: number): NextPoll {
  const left = looks.timeoutMs - ageMs;
  if (left <= 0) return { kind: 'overdue' };
  const wait = polls === 0 ? Math.max(looks.firstMs - ageMs, 0) : waitAfter(looks, polls);
  return { kind: 'in', waitMs: Math.ceil(Math.min(wait, left)) };
}

/**
 * Moves a look later, onto a tick that all jobs of the account share, so that one page of the list answers them all:
 * by less than the shortest wait, or by less than half of a longer one. So however many jobs are open and however many
 * processes look at them, each page is asked at most once a tick.
 */
export function alignToTick({ minMs }: PollPolicy, now: number, waitMs: number, growing = true): number {
  const tick = tickLength(minMs, growing ? waitMs / 2 : 0);
  return Math.ceil((now + waitMs) / tick) * tick - now;
}

/** Looks come to their tick some seconds apart. */
const LATE_MS = 10_000;

/**
 * An answer to a question that was asked since then will do for a look now: since the tick began that this look was due
 * at, but no longer ago than a quarter of the wait that led here, so that it is never an answer from before that wait.
 */
export function freshSince(looks: PollPolicy, now: number, polls: number): number {
  const tick = tickLength(looks.minMs);
  return Math.max(Math.floor(now / tick) * tick, now - Math.max(waitAfter(looks, polls) / 4, LATE_MS));
}

/** The shortest wait, doubled as often as it fits into `most`: every longer tick is a shorter one too. */
function tickLength(least: number, most = 0): number {
  const base = Math.max(Math.floor(least), 1);
  return base * 2 ** Math.max(0, Math.floor(Math.log2(Math.max(most, 1) / base)));
}
