import type { RateLimits, Window } from '../../../src/rate-limit/limits.ts';

/** Counts as strictly as a service can: to the millisecond, in every window. Says whether one more request is admitted. */
export function createStrictLimits(limits: RateLimits): (submits: boolean, now: number) => boolean {
  const requests: number[] = [];
  const submissions: number[] = [];
  return (submits, now) => {
    const general = [limits.minute, limits.hour, limits.day].some((window) => isFull(requests, window, now));
    if (general || (submits && isFull(submissions, limits.submissions, now))) return false;
    requests.push(now);
    if (submits) submissions.push(now);
    return true;
  };
}

const isFull = (times: readonly number[], { limit, lengthMs }: Window, now: number): boolean =>
  times.length >= limit && now - times.at(-limit)! < lengthMs;
