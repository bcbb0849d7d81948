import { SitemapError } from '../problems.ts';
import { formatWait } from './http-error.ts';

interface Lane {
  active: number;
  /** Between the beginnings of two requests. */
  delayMs: number;
  /** When the next request may begin, by the injected clock. */
  nextAt: number;
  /** Until when the server asked for no requests. */
  closedUntil: number;
  readonly waiting: (() => void)[];
}

export interface GateOptions {
  /** Requests to one host at the same time. */
  readonly concurrency: number;
  /** Between the beginnings of two requests to one host. */
  readonly delayMs: number;
  /** The longest wait for a host that asked for one. */
  readonly maxRetryWaitMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Limits the requests to each host: how many run at once, the delay between two of them, and none while it has asked for
 * none.
 */
export class HostGate {
  readonly #options: GateOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** The host asked for a longer delay between two requests, from the last request on. */
  slowDown(host: string, delayMs: number): void {
    const lane = this.#getLane(host);
    if (delayMs <= lane.delayMs) return;
    lane.delayMs = delayMs;
    lane.nextAt = Math.max(lane.nextAt, this.#options.now() + delayMs);
  }

  /** The host asked for a pause (429 with Retry-After). Returns when it ends. */
  close(host: string, waitMs: number): number {
    const lane = this.#getLane(host);
    lane.closedUntil = Math.max(lane.closedUntil, this.#options.now() + waitMs);
    return lane.closedUntil;
  }

  /**
   * Waits for a turn at this host. Call the returned function when the request and its body are done. Throws SitemapError
   * when the host asked for a longer pause than this crawl makes. `waitedUntil`: the pause that the caller has made.
   */
  async enter(host: string, signal: AbortSignal, waitedUntil = 0): Promise<() => void> {
    const lane = this.#getLane(host);
    while (lane.active >= this.#options.concurrency) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => lane.waiting.push(resolve));
    }
    signal.throwIfAborted();
    lane.active += 1;
    const leave = this.#createLeave(lane);
    try {
      await this.#awaitTurn(host, lane, signal, waitedUntil);
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  async #awaitTurn(host: string, lane: Lane, signal: AbortSignal, waitedUntil: number): Promise<void> {
    const { maxRetryWaitMs, now, sleep } = this.#options;
    const { delayMs } = lane;
    const pause = lane.closedUntil > waitedUntil ? lane.closedUntil - now() : 0;
    if (pause > maxRetryWaitMs) {
      throw new SitemapError(
        'HTTP_STATUS',
        `not requested, because ${host} limits requests (HTTP 429); the server asks to wait ${formatWait(pause)}`,
        { retryAfterMs: pause },
      );
    }
    const turn = Math.max(now() + Math.max(0, pause), lane.nextAt);
    if (delayMs > 0) lane.nextAt = turn + delayMs;
    if (turn > now()) await sleep(turn - now(), signal);
  }

  #getLane(host: string): Lane {
    const lane = this.#lanes.get(host) ?? {
      active: 0,
      delayMs: this.#options.delayMs,
      nextAt: 0,
      closedUntil: 0,
      waiting: [],
    };
    this.#lanes.set(host, lane);
    return lane;
  }

  #createLeave(lane: Lane): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      lane.active -= 1;
      lane.waiting.shift()?.();
    };
  }
}
