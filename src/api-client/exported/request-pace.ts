import { LIMITS } from '../../../contract/limits.ts';

/** At most `limit` requests in any stretch of that many milliseconds. */
interface Window {
  readonly limit: number;
  readonly ms: number;
}

const MINUTE_MS = 60_000;
/** For one key (spec 8). */
const GENERAL: readonly Window[] = [
  { limit: LIMITS.requests.minute, ms: MINUTE_MS },
  { limit: LIMITS.requests.hour, ms: 60 * MINUTE_MS },
  { limit: LIMITS.requests.day, ms: 24 * 60 * MINUTE_MS },
];
const SUBMISSIONS: readonly Window[] = [{ limit: LIMITS.submissionsPerMinute, ms: MINUTE_MS }];

/** Counts the requests of one key, so that a client that is the only one of its key meets no 429. */
export class RequestPace {
  readonly #requests = new Log(GENERAL);
  readonly #submissions = new Log(SUBMISSIONS);

  /** Counts a request that may be sent now and returns 0; otherwise counts nothing and returns the wait in milliseconds. */
  take(now: number, submission: boolean): number {
    const logs = submission ? [this.#requests, this.#submissions] : [this.#requests];
    const wait = Math.max(...logs.map((log) => log.waitMs(now)));
    if (wait === 0) for (const log of logs) log.add(now);
    return wait;
  }
}

/** The times of requests, oldest first. */
class Log {
  readonly #windows: readonly Window[];
  readonly #most: number;
  #times: number[] = [];

  constructor(windows: readonly Window[]) {
    this.#windows = windows;
    this.#most = Math.max(...windows.map(({ limit }) => limit));
  }

  waitMs(now: number): number {
    const waits = this.#windows.map(({ limit, ms }) => (this.#times.at(-limit) ?? Number.NEGATIVE_INFINITY) + ms - now);
    return Math.max(0, ...waits);
  }

  add(now: number): void {
    this.#times.push(now);
    if (this.#times.length > 2 * this.#most) this.#times = this.#times.slice(-this.#most);
  }
}
