export interface BodyMemoryLimits {
  /** Bytes of all bodies that are being received or worked on. */
  readonly totalBytes: number;
  /** Of them for one account. */
  readonly accountBytes: number;
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

  /** Counts bytes in, if they fit. */
  take(account: number, bytes: number): boolean {
    if (!this.fits(account, bytes)) return false;
    this.#total += bytes;
    this.#accounts.set(account, (this.#accounts.get(account) ?? 0) + bytes);
    return true;
  }

  release(account: number, bytes: number): void {
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
