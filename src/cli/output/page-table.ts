import { fingerprint } from '../../ledger/pages/fingerprint.ts';
import { growingList } from '../../ledger/pages/fingerprint-list.ts';

/** Longer than any normalized URL. */
const CHUNK = 1 << 20;
const LINE_END = 0x0a;

/**
 * Numbers URLs from 0 and keeps their texts, outside of V8's heap: about 30 bytes and the text for each. They are told apart
 * by 64 bits, as in the ledger.
 */
export class PageTable {
  /** In place of the version of a page: where its text begins. */
  readonly #list = growingList();
  readonly #half = new Uint32Array(2);
  readonly #chunks: Buffer[] = [];
  #used = CHUNK;

  /** Returns the number of a URL, a new one for a new URL. */
  place(url: string): number {
    fingerprint(url, 0, this.#half);
    const [high = 0, low = 0] = this.#half;
    const known = this.#list.find(high, low);
    if (known >= 0) return known;
    this.#list.push(high, low, this.#write(`${url}\n`));
    return this.#list.length - 1;
  }

  get(page: number): string {
    const from = this.#list.version(page);
    const chunk = this.#chunks[Math.floor(from / CHUNK)] ?? Buffer.alloc(0);
    return chunk.toString('latin1', from % CHUNK, chunk.indexOf(LINE_END, from % CHUNK));
  }

  #write(line: string): number {
    if (this.#used + line.length > CHUNK) {
      this.#chunks.push(Buffer.allocUnsafeSlow(CHUNK));
      this.#used = 0;
    }
    const from = (this.#chunks.length - 1) * CHUNK + this.#used;
    this.#used += this.#chunks.at(-1)?.write(line, this.#used, 'latin1') ?? 0;
    return from;
  }
}
