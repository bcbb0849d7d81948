export interface LoadLimits {
  /** Requests in progress at the same time. */
  readonly requests: number;
  /** Of them in one share: an account with all its keys, or an address whose keys are not known. */
  readonly requestsPerAccount: number;
}

/** Counts the requests in progress, so that an overload is rejected before any work is done. */
export class Load {
  readonly #limits: LoadLimits;
  readonly #shares = new Map<string, number>();
  #total = 0;

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  /** Counts a request and returns the function that ends its count, or null when there are too many. */
  enter(share: string): (() => void) | null {
    const own = this.#shares.get(share) ?? 0;
    if (this.#total >= this.#limits.requests || own >= this.#limits.requestsPerAccount) return null;
    this.#total++;
    this.#shares.set(share, own + 1);
    return () => {
      this.#total--;
      const left = (this.#shares.get(share) ?? 0) - 1;
      if (left > 0) this.#shares.set(share, left);
      else this.#shares.delete(share);
    };
  }

  get total(): number {
    return this.#total;
  }
}
