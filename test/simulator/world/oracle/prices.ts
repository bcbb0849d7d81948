/** A price that rises is noticed within this time: `GET /me` is called once an hour, as docs/guides/other-services.md says. */
export const PRICE_NOTICED_MS = 3_700_000;

/** The prices of one account at the service, of a URL, in micro-lira. Times are those of the kernel. */
export class Prices {
  readonly #changes: { readonly at: number; readonly price: number }[];
  #roseAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(first: number) {
    this.#changes = [{ at: Number.NEGATIVE_INFINITY, price: first }];
  }

  change(price: number, at: number): void {
    if (price > this.#changes.at(-1)!.price) this.#roseAt = at;
    this.#changes.push({ at, price });
  }

  /** A worker asks for the prices. */
  asked(at: number): void {
    this.#askedAt = at;
  }

  /** A worker has read them. */
  shown(at: number): void {
    this.#shownAt = at;
  }

  /** All there ever were. */
  list(): readonly number[] {
    return this.#changes.map(({ price }) => price);
  }

  /** Whether who sends at this time may not know that the price has risen: it was asked for, and no answer could be read since. */
  mayMissRise(at: number): boolean {
    return at - this.#roseAt <= PRICE_NOTICED_MS || this.#isUnread(at);
  }

  /** What the connector may have taken a charge for that was sent at this time. */
  getExpected(amount: number, urls: number, at: number): number {
    if (!this.mayMissRise(at)) return amount;
    const since = this.#isUnread(at) ? Math.min(this.#roseAt, at - PRICE_NOTICED_MS) : at - PRICE_NOTICED_MS;
    return Math.min(amount, urls * this.#getLowest(since));
  }

  #isUnread(at: number): boolean {
    return this.#shownAt < this.#roseAt && this.#askedAt <= at && at - this.#askedAt <= PRICE_NOTICED_MS;
  }

  /** The lowest price since this time. */
  #getLowest(since: number): number {
    const first = this.#changes.findLastIndex(({ at }) => at < since);
    return Math.min(...this.#changes.slice(first).map(({ price }) => price));
  }
}
