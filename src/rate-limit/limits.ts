import { LIMITS } from '../../contract/limits.ts';

/** At most `limit` requests within any stretch of this length. */
export interface Window {
  readonly limit: number;
  readonly lengthMs: number;
}

/** The limits of one API key (spec 8): those of all requests, and those of `POST /submissions`. */
export interface RateLimits {
  readonly minute: Window;
  readonly hour: Window;
  readonly day: Window;
  readonly submissions: Window;
}

export const GENERAL = ['minute', 'hour', 'day'] as const;
export type WindowName = (typeof GENERAL)[number];

/** The purpose of a request. Submissions come before polls, polls before checks. */
export type Lane = 'submission' | 'poll' | 'check';

const MINUTE_MS = 60_000;

/** An account's limits, by default the specification's. `minuteMs` shortens all windows together, for tests. */
export function toRateLimits(
  limits: {
    readonly minute?: number;
    readonly hour?: number;
    readonly day?: number;
    readonly submissionsPerMinute?: number;
  } = {},
  minuteMs: number = MINUTE_MS,
): RateLimits {
  return {
    minute: { limit: limits.minute ?? LIMITS.requests.minute, lengthMs: minuteMs },
    hour: { limit: limits.hour ?? LIMITS.requests.hour, lengthMs: 60 * minuteMs },
    day: { limit: limits.day ?? LIMITS.requests.day, lengthMs: 1_440 * minuteMs },
    submissions: { limit: limits.submissionsPerMinute ?? LIMITS.submissionsPerMinute, lengthMs: minuteMs },
  };
}

/**
 * How many requests of a window a lane reserves for more urgent lanes: polls reserve what submissions could use at full
 * speed, at most half; checks also reserve a quarter for polls. So paid work never waits behind status polling.
 */
export function computeReserve(lane: Exclude<Lane, 'submission'>, window: Window, submissions: Window): number {
  const atFullSpeed = Math.ceil((submissions.limit * window.lengthMs) / submissions.lengthMs);
  const forSubmissions = Math.min(atFullSpeed, Math.floor(window.limit / 2));
  return lane === 'poll' ? forSubmissions : forSubmissions + Math.floor(window.limit / 4);
}

/**
 * Added to every window: the clocks of two machines differ, and an instant is rounded to a millisecond. Network time
 * needs no margin: a request counts from its response on, and the service saw it earlier.
 */
export function computeMargin({ lengthMs }: Window): number {
  return Math.max(2, Math.min(250, Math.ceil(lengthMs / 200)));
}
