import { fingerprint } from '../ledger/pages/fingerprint.ts';
import { growingList } from '../ledger/pages/fingerprint-list.ts';

/** Pages that were seen, by 64 bits each: about 30 bytes with their table. */
export class SeenPages {
  readonly #list = growingList();
  readonly #half = new Uint32Array(2);

  /** Returns whether the page is new. */
  add(url: string): boolean {
    fingerprint(url, 0, this.#half);
    const [high = 0, low = 0] = this.#half;
    if (this.#list.find(high, low) >= 0) return false;
    this.#list.push(high, low, 0);
    return true;
  }

  get size(): number {
    return this.#list.length;
  }
}
