export interface BodyMemoryLimits {
  /** Bytes of all bodies that are being received or processed. */
  readonly totalBytes: number;
  /** Of them for one account. */
  readonly accountBytes: number;
}

export interface BodyShare {
  /** Counts bytes in beyond those that were announced, if they fit and the request has not ended. */
  take(bytes: number): boolean;
  end(): void;
}

/** Limits the memory for request bodies, in total and per account. */
export class BodyMemory {
  readonly #limits: BodyMemoryLimits;
  readonly #accounts = new Map<number, number>();
  #total = 0;

  constructor(limits: BodyMemoryLimits) {
    this.#limits = limits;
  }

  #fits(account: number, bytes: number): boolean {
    const own = this.#accounts.get(account) ?? 0;
    return this.#total + bytes <= this.#limits.totalBytes && own + bytes <= this.#limits.accountBytes;
  }

  /**
   * The share of one request, with the bytes that it announces reserved; null when they do not fit. Freed as soon as the
   * request ends, after which it can take no more.
   */
  open(account: number, announced: number): BodyShare | null {
    if (!this.#take(account, announced)) return null;
    let taken = announced;
    let read = 0;
    let ended = false;
    return {
      take: (bytes) => {
        read += bytes;
        const more = Math.max(0, read - taken);
        if (ended || !this.#take(account, more)) return false;
        taken += more;
        return true;
      },
      end: () => {
        if (!ended) this.#release(account, taken);
        ended = true;
      },
    };
  }

  #take(account: number, bytes: number): boolean {
    if (!this.#fits(account, bytes)) return false;
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
