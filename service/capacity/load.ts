export interface LoadLimits {
  /** Requests that are being answered at the same time. */
  readonly requests: number;
  /** Of them with one API key. */
  readonly requestsPerKey: number;
}

/** Counts the requests that are being answered, so that a crowd is refused before any work is done for it. */
export class Load {
  readonly #limits: LoadLimits;
  readonly #keys = new Map<string, number>();
  #total = 0;

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  /** Counts a request in and returns how to count it out, or null when there are too many. */
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
