import type { ServiceLevel } from '../../contract/states.ts';

/** When to poll a job. All durations in milliseconds. */
export interface PollPolicy {
  /** From acceptance to the first poll: when the job may be ready (spec 2.3). */
  readonly firstMs: number;
  /** Wait after the first poll. */
  readonly minMs: number;
  readonly maxMs: number;
  /** Factor from one wait to the next. */
  readonly growth: number;
  /** A job still open at this age is overdue: it is reported, and you should ask the service. */
  readonly timeoutMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Fast jobs are polled from five minutes on, every 10 to 30 s at first as the specification suggests, then less often.
 * Standard jobs are polled from three hours on, every 10 minutes, growing to an hour: some 190 polls in seven days.
 */
export const DEFAULT_POLLING: Readonly<Record<ServiceLevel, PollPolicy>> = {
  fast: { firstMs: 5 * MINUTE, minMs: 10 * SECOND, maxMs: 5 * MINUTE, growth: 1.5, timeoutMs: DAY },
  standard: { firstMs: 3 * HOUR, minMs: 10 * MINUTE, maxMs: HOUR, growth: 1.5, timeoutMs: 8 * DAY },
};

export type NextPoll = { readonly kind: 'in'; readonly waitMs: number } | { readonly kind: 'overdue' };

/** The regular wait after `polls` polls (at least one). */
export function waitAfter({ minMs, maxMs, growth }: PollPolicy, polls: number): number {
  return Math.min(minMs * growth ** Math.min(polls - 1, 1_000), maxMs);
}

/**
 * The wait before the next poll of a job that is open at age `ageMs` after `polls` polls. The last poll falls on the
 * timeout, not after it.
 */
export function nextPoll(policy: PollPolicy, polls: number, ageMs: number): NextPoll {
  const left = policy.timeoutMs - ageMs;
  if (left <= 0) return { kind: 'overdue' };
  const wait = polls === 0 ? Math.max(policy.firstMs - ageMs, 0) : waitAfter(policy, polls);
  return { kind: 'in', waitMs: Math.ceil(Math.min(wait, left)) };
}

/**
 * Delays a poll to the next tick. All jobs of the account share the tick, so that one page of the list answers all their
 * polls. The delay is less than the shortest wait, or less than half of a longer one. Each page is requested at most once
 * per tick, however many jobs are open and however many processes poll them.
 */
export function alignToTick({ minMs }: PollPolicy, now: number, waitMs: number, growing = true): number {
  const tick = tickLength(minMs, growing ? waitMs / 2 : 0);
  return Math.ceil((now + waitMs) / tick) * tick - now;
}

/** Polls of one tick arrive some seconds apart. */
const LATE_MS = 10_000;

/**
 * The time from which a response is fresh enough for a poll now: the start of the poll's tick, but at most a quarter of
 * the preceding wait ago, so that a response from before that wait is never used.
 */
export function freshSince(policy: PollPolicy, now: number, polls: number): number {
  const tick = tickLength(policy.minMs);
  return Math.max(Math.floor(now / tick) * tick, now - Math.max(waitAfter(policy, polls) / 4, LATE_MS));
}

/** The shortest wait, doubled as often as it fits into `most`: every longer tick is also a shorter one. */
function tickLength(least: number, most = 0): number {
  const base = Math.max(Math.floor(least), 1);
  return base * 2 ** Math.max(0, Math.floor(Math.log2(Math.max(most, 1) / base)));
}
