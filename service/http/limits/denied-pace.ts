import { setTimeout as sleep } from 'node:timers/promises';

const SECOND_MS = 1_000;
/** How many 429 answers a second a key gets at once. */
const AT_ONCE = 10;
const DELAY_MS = 500;

/**
 * Delays the 429 answers of a key that keeps sending. A client that repeats a denied request as soon as it is answered
 * would otherwise take as much of the service as its connections can carry, and the others wait behind it.
 */
export class DeniedPace {
  #counts = new Map<string, number>();
  #since = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a denied request. Returns how long its answer is to wait, in milliseconds. */
  count(key: string): number {
    const now = this.#now();
    if (now - this.#since >= SECOND_MS) {
      this.#counts = new Map();
      this.#since = now;
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count > AT_ONCE ? DELAY_MS : 0;
  }

  async wait(key: string): Promise<void> {
    const delay = this.count(key);
    if (delay > 0) await sleep(delay);
  }
}
