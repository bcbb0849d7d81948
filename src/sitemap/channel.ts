/** A bounded queue between many producers and one consumer: `push` waits while it is full. */
export class Channel<T> {
  readonly #capacity: number;
  readonly #items: T[] = [];
  readonly #full: (() => void)[] = [];
  #empty: () => void = () => {};
  #isClosed = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds an item. Drops it when the channel is closed. */
  async push(item: T): Promise<void> {
    while (this.#items.length >= this.#capacity && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#full.push(resolve));
    }
    if (this.#isClosed) return;
    this.#items.push(item);
    this.#empty();
  }

  /** Ends the channel: the consumer gets the queued items, then the error, if any. */
  close(failure?: { readonly error: unknown }): void {
    this.#isClosed = true;
    this.#failure ??= failure;
    this.#empty();
    for (const resume of this.#full.splice(0)) resume();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) {
        this.#full.shift()?.();
        yield item;
      } else if (this.#isClosed) {
        if (this.#failure !== undefined) throw this.#failure.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#empty = resolve;
        });
      }
    }
  }
}
