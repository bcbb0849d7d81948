import { type ExternalUsageByWindow, getExternalUsage } from './external-usage.ts';
import {
  computeMargin,
  computeReserve,
  GENERAL,
  type Lane,
  type RateLimits,
  type Window,
  type WindowName,
} from './limits.ts';

/** Requests in flight. */
export interface InFlight {
  readonly requests: number;
  readonly submissions: number;
}

/** No request is allowed now. */
export interface Denied {
  readonly kind: 'wait';
  readonly waitMs: number;
  /** "all 3000 requests an hour are used". */
  readonly why: string;
}

/** Requests are numbered three times: among all, and among the submissions or among the polls and checks. */
export const KIND = { all: 0, submissions: 1, others: 2 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/**
 * A window that a request must fit into. With room for k requests, one more fits exactly when our k-th last request has
 * left the window: one lookup by its number is enough, even for 30,000 a day.
 */
export interface Rule {
  readonly name: WindowName | 'submissions';
  readonly window: Window;
  /** Requests that fit, without external ones, those in flight and those reserved for more urgent lanes. */
  readonly room: number;
  readonly number: number;
  readonly kind: Kind;
}

/**
 * All windows that a request of the lane must fit into at once. `last` holds the numbers of our last requests. The
 * reserve for submissions is kept by counting polls and checks alone: submissions have a limit of their own in a window,
 * and those that were already made must not be reserved a second time.
 */
export function listRules(
  lane: Lane,
  limits: RateLimits,
  last: { readonly requests: number; readonly submissions: number },
  inFlight: InFlight,
  others: ExternalUsageByWindow,
  time: number,
): Rule[] {
  const numbers = {
    [KIND.all]: { last: last.requests, inFlightCount: inFlight.requests },
    [KIND.submissions]: { last: last.submissions, inFlightCount: inFlight.submissions },
    [KIND.others]: {
      last: last.requests - last.submissions,
      inFlightCount: inFlight.requests - inFlight.submissions,
    },
  };
  const rule = (name: Rule['name'], kind: Kind, reserve = 0): Rule => {
    const window = limits[name];
    const room = window.limit - reserve - numbers[kind].inFlightCount - getExternalUsage(others, name, time);
    return { name, window, room, number: numbers[kind].last - room + 1, kind };
  };
  const general = GENERAL.map((name) => rule(name, KIND.all));
  if (lane === 'submission') return [...general, rule('submissions', KIND.submissions)];
  const behind = GENERAL.map((name) => rule(name, KIND.others, computeReserve(lane, limits[name], limits.submissions)));
  return [...general, ...behind];
}

const PER_WINDOW = { minute: 'a minute', hour: 'an hour', day: 'a day' } as const;

/** When all that fits is in flight, a response frees room sooner than a window does. */
const WAIT_FOR_IN_FLIGHT_MS = 500;

/** Whether a rule denies a request now, and for how long. `at`: when the request with the rule's number was answered. */
export function computeWait(
  { name, window, room, kind }: Rule,
  at: number | undefined,
  inFlight: InFlight,
  others: ExternalUsageByWindow,
  time: number,
): Denied | null {
  const limit = `${window.limit} ${name === 'submissions' ? 'submissions a minute' : `requests ${PER_WINDOW[name]}`}`;
  const why =
    kind === KIND.others ? `the rest of ${limit} is reserved for more urgent requests` : `all ${limit} are used`;
  const shortWait = Math.min(WAIT_FOR_IN_FLIGHT_MS, window.lengthMs / 20);
  if (room <= 0)
    return denied(inFlight.requests > 0 ? shortWait : Math.max((others[name]?.until ?? 0) - time, shortWait), why);
  const free = at === undefined ? time : at + window.lengthMs + computeMargin(window);
  return free > time ? denied(free - time, why) : null;
}

export const denied = (waitMs: number, why: string): Denied => ({
  kind: 'wait',
  waitMs: Math.max(1, Math.ceil(waitMs)),
  why,
});
