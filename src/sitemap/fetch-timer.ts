/** A timeout that does not count the time in which a fetch waits for others: its turn at the host, or the consumer. */
export class FetchTimer {
  readonly #controller = new AbortController();
  readonly #makeReason: () => Error;
  readonly #totalMs: number;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Starts the timeout. @param makeReason the reason that `signal` aborts with */
  constructor(totalMs: number, makeReason: () => Error) {
    this.#totalMs = totalMs;
    this.#leftMs = totalMs;
    this.#makeReason = makeReason;
    this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Milliseconds counted so far, while the timeout runs. */
  get usedMs(): number {
    return this.#totalMs - this.#leftMs + performance.now() - this.#startedAt;
  }

  /** Waits for something without counting the time. */
  async without<T>(wait: () => Promise<T>): Promise<T> {
    this.stop();
    try {
      return await wait();
    } finally {
      this.#start();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#startedAt;
  }

  #start(): void {
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#controller.abort(this.#makeReason()), Math.max(0, this.#leftMs));
  }
}
