import { setTimeout as pause } from 'node:timers/promises';
import type { Reference } from '../submission/ids.ts';
import type { ReportedStatus } from './job-status-cache.ts';
import type { JobStatusLoader } from './job-status-loader.ts';
import { RateLimitedError } from './limiter.ts';

/** Loads that wait for a slow service at a time, each in an activity slot of this process. */
const MOST_WAITING = 20;
/** A load that takes longer waits for a slow service. */
const SLOW_MS = 2_000;
/** The age of a response that is still taken, where loads took so long. */
const MOST_SLACK_MS = 60_000;

/**
 * Keeps the trackers of a slow account from taking all slots of a worker. While responses come within moments nothing is
 * bounded: a page of the list answers a hundred loads at once. When they do not, all but the first loads are denied, and
 * their slots are free. The page that those wait for is cached, and answers the others at their next poll: a response of a
 * slow service counts as fresh for as long as the last one took.
 */
export function boundLoads(
  loader: JobStatusLoader,
  now: () => number,
  sleep: (ms: number, signal: AbortSignal) => Promise<void> = (ms, signal) => pause(ms, undefined, { signal }),
): JobStatusLoader {
  /** When the loads that wait in an activity began; the oldest first. */
  const waiting = new Set<{ readonly since: number }>();
  let lastTookMs = 0;

  const isFirst = (load: { readonly since: number }) => [...waiting].slice(0, MOST_WAITING).includes(load);

  async function measure(load: Promise<ReportedStatus>): Promise<ReportedStatus> {
    const since = now();
    try {
      return await load;
    } finally {
      lastTookMs = now() - since;
    }
  }

  async function giveUpWhenSlow(load: { readonly since: number }, ended: AbortSignal): Promise<never> {
    await sleep(SLOW_MS, ended);
    if (isFirst(load)) return new Promise<never>(() => undefined);
    throw tooManyWait();
  }

  return {
    async load(reference: Reference, notBefore: number): Promise<ReportedStatus> {
      const [oldest] = waiting;
      const isSlow = oldest !== undefined && now() - oldest.since > SLOW_MS;
      if (isSlow && waiting.size >= MOST_WAITING) throw tooManyWait();
      const slackMs = lastTookMs > SLOW_MS ? Math.min(lastTookMs, MOST_SLACK_MS) : 0;
      const load = { since: now() };
      const ended = new AbortController();
      waiting.add(load);
      try {
        return await Promise.race([
          measure(loader.load(reference, notBefore - slackMs)),
          giveUpWhenSlow(load, ended.signal),
        ]);
      } finally {
        waiting.delete(load);
        ended.abort();
      }
    },
  };
}

const tooManyWait = (): RateLimitedError =>
  new RateLimitedError('poll', {
    kind: 'wait',
    waitMs: SLOW_MS,
    why: `the service responds slowly, and ${MOST_WAITING} polls of the account wait for it`,
  });
