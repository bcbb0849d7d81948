interface Lane {
  active: number;
  /** When the next request may begin, by the injected clock. */
  nextAt: number;
  readonly waiting: (() => void)[];
}

export interface GateOptions {
  /** Requests to one host at the same time. */
  readonly concurrency: number;
  /** Between the beginnings of two requests to one host. */
  readonly delayMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Limits the requests to each host: how many run at once, and the delay between two of them. */
export class HostGate {
  readonly #options: GateOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** Waits for a turn at this host. Call the returned function when the request and its body are done. */
  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    const lane = this.#getLane(host);
    while (lane.active >= this.#options.concurrency) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => lane.waiting.push(resolve));
    }
    signal.throwIfAborted();
    lane.active += 1;
    const leave = this.#createLeave(lane);
    const { delayMs, now, sleep } = this.#options;
    if (delayMs > 0) {
      const turn = Math.max(now(), lane.nextAt);
      lane.nextAt = turn + delayMs;
      try {
        if (turn > now()) await sleep(turn - now(), signal);
      } catch (error) {
        leave();
        throw error;
      }
    }
    return leave;
  }

  #getLane(host: string): Lane {
    const lane = this.#lanes.get(host) ?? { active: 0, nextAt: 0, waiting: [] };
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
