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

/** Requests under way. */
export interface InFlight {
  readonly requests: number;
  readonly submissions: number;
}

/** Not now. */
export interface Denied {
  readonly kind: 'wait';
  readonly waitMs: number;
  /** "the 3000 requests of the hour are used". */
  readonly why: string;
}

/** Requests are numbered three times: among all, and among the submissions or among the polls and checks. */
export const KIND = { all: 0, submissions: 1, others: 2 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];

/**
 * A window that a request has to fit into. With room for k requests, one more fits exactly when the k-th last of ours
 * has left the window: its number is all that has to be looked up, also for 30,000 a day.
 */
export interface Rule {
  readonly name: WindowName | 'submissions';
  readonly window: Window;
  /** Requests that fit, without those of others, those under way and those kept for more urgent lanes. */
  readonly room: number;
  readonly number: number;
  readonly kind: Kind;
}

/**
 * All that a request of the lane has to fit into at once. `last` holds the numbers of our last requests. What is kept
 * for submissions is kept from polls and checks by counting these alone: the submissions of a window are bounded by
 * their own limit, and those that were made must not be kept room for a second time.
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
    [KIND.all]: { last: last.requests, underWay: inFlight.requests },
    [KIND.submissions]: { last: last.submissions, underWay: inFlight.submissions },
    [KIND.others]: {
      last: last.requests - last.submissions,
      underWay: inFlight.requests - inFlight.submissions,
    },
  };
  const rule = (name: Rule['name'], kind: Kind, reserve = 0): Rule => {
    const window = limits[name];
    const room = window.limit - reserve - numbers[kind].underWay - getExternalUsage(others, name, time);
    return { name, window, room, number: numbers[kind].last - room + 1, kind };
  };
  const general = GENERAL.map((name) => rule(name, KIND.all));
  if (lane === 'submission') return [...general, rule('submissions', KIND.submissions)];
  const behind = GENERAL.map((name) => rule(name, KIND.others, computeReserve(lane, limits[name], limits.submissions)));
  return [...general, ...behind];
}

/** When all that fits is under way, an answer makes room sooner than a window would. */
const WAIT_FOR_IN_FLIGHT_MS = 500;

/** Whether a rule forbids a request now, and for how long. `at`: when the request with the rule's number was answered. */
export function computeWait(
  { name, window, room, kind }: Rule,
  at: number | undefined,
  inFlight: InFlight,
  others: ExternalUsageByWindow,
  time: number,
): Denied | null {
  const all = `the ${window.limit} ${name === 'submissions' ? 'submissions a minute' : `requests of the ${name}`}`;
  const why = kind === KIND.others ? `what is left of ${all} is kept for what goes first` : `${all} are used`;
  const aWhile = Math.min(WAIT_FOR_IN_FLIGHT_MS, window.lengthMs / 20);
  if (room <= 0)
    return denied(inFlight.requests > 0 ? aWhile : Math.max((others[name]?.until ?? 0) - time, aWhile), why);
  const free = at === undefined ? time : at + window.lengthMs + computeMargin(window);
  return free > time ? denied(free - time, why) : null;
}

export const denied = (waitMs: number, why: string): Denied => ({
  kind: 'wait',
  waitMs: Math.max(1, Math.ceil(waitMs)),
  why,
});
