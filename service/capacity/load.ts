export interface LoadLimits {
  /** Requests in progress at the same time. */
  readonly requests: number;
  /** Of them with one API key. */
  readonly requestsPerKey: number;
}

/** Counts the requests in progress, so that an overload is rejected before any work is done. */
export class Load {
  readonly #limits: LoadLimits;
  readonly #keys = new Map<string, number>();
  #total = 0;

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  /** Counts a request and returns the function that ends its count, or null when there are too many. */
  enter(key: string): (() => void) | null {
    const own = this.#keys.get(key) ?? 0;
    if (this.#total >= this.#limits.requests || own >= this.#limits.requestsPerKey) return null;
    this.#total++;
    this.#keys.set(key, own + 1);
    return () => {
      this.#total--;
      const left = (this.#keys.get(key) ?? 0) - 1;
      if (left > 0) this.#keys.set(key, left);
      else this.#keys.delete(key);
    };
  }

  get total(): number {
    return this.#total;
  }
}
