export interface BodyMemoryLimits {
  /** Bytes of all bodies that are being received or worked on. */
  readonly totalBytes: number;
  /** Of them for one account. */
  readonly accountBytes: number;
}

export interface BodyShare {
  /** Counts bytes in, if they fit and the request has not ended. */
  take(bytes: number): boolean;
  end(): void;
}

/** Bounds the bodies that are in memory at the same time, altogether and per account. */
export class BodyMemory {
  readonly #limits: BodyMemoryLimits;
  readonly #accounts = new Map<number, number>();
  #total = 0;

  constructor(limits: BodyMemoryLimits) {
    this.#limits = limits;
  }

  /** Whether so many bytes more of an account would fit now. */
  fits(account: number, bytes: number): boolean {
    const own = this.#accounts.get(account) ?? 0;
    return this.#total + bytes <= this.#limits.totalBytes && own + bytes <= this.#limits.accountBytes;
  }

  /** The share of one request: what it took comes back at once when it ends, and it takes no more. */
  open(account: number): BodyShare {
    let taken = 0;
    let ended = false;
    return {
      take: (bytes) => {
        if (ended || !this.#take(account, bytes)) return false;
        taken += bytes;
        return true;
      },
      end: () => {
        if (!ended) this.#release(account, taken);
        ended = true;
      },
    };
  }

  #take(account: number, bytes: number): boolean {
    if (!this.fits(account, bytes)) return false;
    this.#total += bytes;
    this.#accounts.set(account, (this.#accounts.get(account) ?? 0) + bytes);
    return true;
  }

  #release(account: number, bytes: number): void {
    this.#total -= bytes;
    const own = (this.#accounts.get(account) ?? 0) - bytes;
    if (own > 0) this.#accounts.set(account, own);
    else this.#accounts.delete(account);
  }

  /** Bytes in memory now. */
  get total(): number {
    return this.#total;
  }
}
