/** A queue between many producers and one consumer: `push` waits while it is full, so producers are as fast as the consumer. */
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

  /** Takes an item, or drops it when nobody reads any more. */
  async push(item: T): Promise<void> {
    while (this.#items.length >= this.#capacity && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#full.push(resolve));
    }
    if (this.#isClosed) return;
    this.#items.push(item);
    this.#empty();
  }

  /** No more items: what is queued is still given out, then the error, if there is one. */
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
