/** A timeout that does not run while the fetch waits for its turn at the host (`--delay`). */
export class FetchTimer {
  readonly #controller = new AbortController();
  readonly #makeReason: () => Error;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param makeReason the reason that `signal` aborts with */
  constructor(totalMs: number, makeReason: () => Error) {
    this.#leftMs = totalMs;
    this.#makeReason = makeReason;
    this.resume();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  resume(): void {
    clearTimeout(this.#timer);
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#controller.abort(this.#makeReason()), Math.max(0, this.#leftMs));
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.#leftMs -= performance.now() - this.#startedAt;
  }
}
