import { setTimeout as sleep } from 'node:timers/promises';
import { CheckUnavailableError } from './provider.ts';

/** Moments at which queries may be sent. */
export interface Slots {
  /** Resolves at the moment of the next query. Beyond the reserved ones it takes a moment after all others. */
  next(signal: AbortSignal): Promise<void>;
  release(): void;
}

/** Spreads queries evenly, so that a plan of so many queries a second is never exceeded by this process. */
export class Pacer {
  readonly #intervalMs: number;
  readonly #now: () => number;
  #free = 0;

  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#intervalMs = 1_000 / perSecond;
    this.#now = now;
  }

  /** Throws a CheckUnavailableError when the last of the queries could not be sent within `withinMs`. */
  reserve(queries: number, withinMs: number): Slots {
    const now = this.#now();
    const start = Math.max(now, this.#free);
    const end = start + queries * this.#intervalMs;
    if (end - now > withinMs) {
      const retryAfterSeconds = Math.max(1, Math.ceil((end - now - withinMs) / 1_000));
      throw new CheckUnavailableError('earlier checks use all query slots until the timeout', { retryAfterSeconds });
    }
    this.#free = end;
    let moment = start;
    return {
      next: async (signal) => {
        const at = moment < end ? moment : this.#takeOne();
        moment += this.#intervalMs;
        const wait = at - this.#now();
        if (wait > 0) await sleep(wait, undefined, { signal });
      },
      release: () => {
        if (this.#free === end) this.#free = start;
      },
    };
  }

  #takeOne(): number {
    const at = Math.max(this.#now(), this.#free);
    this.#free = at + this.#intervalMs;
    return at;
  }
}
