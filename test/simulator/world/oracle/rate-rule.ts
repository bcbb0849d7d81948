import type { Report } from './breaches.ts';

/** As the specification has them, of one key. */
export interface Window {
  readonly name: string;
  readonly forMs: number;
  readonly most: number;
  /** Submissions alone, or all requests. */
  readonly counts: 'submissions' | 'all';
}

const MINUTE = 60_000;
export const WINDOWS: readonly Window[] = [
  { name: 'ten submissions a minute', forMs: MINUTE, most: 10, counts: 'submissions' },
  { name: '120 requests a minute', forMs: MINUTE, most: 120, counts: 'all' },
  { name: '3,000 requests an hour', forMs: 60 * MINUTE, most: 3_000, counts: 'all' },
  { name: '30,000 requests a day', forMs: 24 * 60 * MINUTE, most: 30_000, counts: 'all' },
];

/** What a request is for: a wait is of one lane, or of the key. */
export type Lane = 'submissions' | 'checks' | 'other';

export interface Asked {
  /** The API key. */
  readonly key: string;
  readonly lane: Lane;
  /** The idempotency key, or the address of a job that is read; null: nothing tells it from others. */
  readonly request: string | null;
  /** By the clock of the host that acts, and since the beginning. */
  readonly now: number;
  readonly elapsed: number;
}

interface Closed {
  /** By the clocks, and since the beginning: whichever is over first opens it. */
  readonly sinceNow: number;
  readonly untilNow: number;
  readonly untilElapsed: number;
  readonly seconds: string;
}

/** What the clocks of all hosts show: any of them may find a wait over that another one has written down. */
export interface Clocks {
  readonly slowest: number;
  readonly fastest: number;
}

/** A wait that begins later than this after now says nothing: it was written down by a clock that was wrong. */
const TOLERANCE_MS = 10 * MINUTE;

const REQUEST = 'request ';
const toRequest = (request: string | null): string => `${REQUEST}${request}`;

/**
 * The only client of a key never sees a 429, because it counts as the service does: requests in any minute, hour and day. After
 * a 429 of a gateway nothing leaves in that lane before its Retry-After is over; one for a read closes the whole key. After a 503,
 * and a 409 while the same request is still running, the same request does not leave before it is over: a batch, an index-check, or
 * the poll of a job.
 */
export class RateRule {
  readonly #report: Report;
  /** By key and window: when the service had the requests. */
  readonly #had = new Map<string, number[]>();
  readonly #closed = new Map<string, Closed>();

  constructor(report: Report) {
    this.#report = report;
  }

  /** The service has a request. One that arrived long after its client gave it up is not shown here: nobody could count it. */
  had({ key, lane, now }: Asked): void {
    for (const { name, forMs, most, counts } of WINDOWS) {
      if (counts === 'submissions' && lane !== 'submissions') continue;
      const times = this.#had.get(`${key} ${name}`) ?? [];
      this.#had.set(`${key} ${name}`, times);
      times.push(now);
      // A clock that was set back has left times that are still to come: they are no part of this window.
      if (times.length > 4 * most) times.splice(0, times.length - 2 * most);
      if (times.length <= most) continue;
      const inWindow = times.reduce((sum, at) => (at > now - forMs && at <= now ? sum + 1 : sum), 0);
      if (inWindow > most) this.#report(`${inWindow} requests in a window of ${name}`, { cause: name });
    }
  }

  /** The service itself has answered 429. */
  refused({ lane }: Asked): void {
    this.#report(`the service answered a request of ${lane} with 429, and nobody else uses the key`, { cause: '429' });
  }

  /** A worker has read this answer, and has had the time to write it down. Times are those at which it read it. */
  mustWait({ key, lane, request, now, elapsed }: Asked, status: number, seconds: string): void {
    const ms = Number(seconds) * 1_000;
    if (!Number.isFinite(ms)) return;
    const closed = { sinceNow: now, untilNow: now + ms, untilElapsed: elapsed + ms, seconds };
    if (status !== 429 && request === null) return;
    const name = status !== 429 ? toRequest(request) : lane === 'other' ? key : `${key} ${lane}`;
    const before = this.#closed.get(name);
    if (before === undefined || before.untilElapsed < closed.untilElapsed) this.#closed.set(name, closed);
  }

  /** A copy of the ledger came back, which may lack the waits of requests. Those of lanes are kept beside it. */
  restored(): void {
    for (const name of this.#closed.keys()) if (name.startsWith(REQUEST)) this.#closed.delete(name);
  }

  /** A request leaves the connector. */
  sent({ key, lane, request, now, elapsed }: Asked, clocks: Clocks = { slowest: now, fastest: now }): void {
    for (const name of [key, `${key} ${lane}`, toRequest(request)]) {
      const closed = this.#closed.get(name);
      if (closed === undefined) continue;
      // Clocks show whole milliseconds.
      const isOver = clocks.fastest >= closed.untilNow || elapsed > closed.untilElapsed - 1;
      if (isOver || closed.sinceNow > clocks.slowest + TOLERANCE_MS) this.#closed.delete(name);
      else
        this.#report(
          `a request of ${lane} left ${Math.ceil(closed.untilElapsed - elapsed)} ms before a Retry-After of ${closed.seconds} s was over`,
          { beyond: closed.untilElapsed - elapsed, cause: 'Retry-After' },
        );
    }
  }
}
