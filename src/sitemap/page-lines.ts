import { CHAR } from '../url/characters.ts';
import type { UrlBytes } from '../url/normal-bytes.ts';
import type { Url } from '../url/normalize-url.ts';
import type { CrawlEvent } from './events.ts';

export type LineBatch = Omit<Extract<CrawlEvent, { type: 'lines' }>, 'sitemap'>;

const NOTHING = Buffer.allocUnsafeSlow(0);
/** Usually the room for the pages of one event. */
const ROOM = 64 * 1024;

/** The normal forms of pages as ASCII bytes, each on a line of its own: for a consumer that only passes them on. */
export class PageLines {
  /** Memory of its own, which no other buffer shares. */
  #bytes: Buffer<ArrayBuffer> = NOTHING;
  #length = 0;
  readonly #free: Buffer<ArrayBuffer>[] = [];
  /** Lines since the last `take`. */
  pages = 0;

  add({ bytes, from, to }: UrlBytes): void {
    const own = this.#makeRoom(to - from + 1);
    let length = this.#length;
    // A loop: a call into native code costs more than copying so few bytes.
    for (let at = from; at < to; at += 1) own[length++] = bytes[at] ?? 0;
    own[length++] = CHAR.lineFeed;
    this.#length = length;
    this.pages += 1;
  }

  addText(url: Url): void {
    const own = this.#makeRoom(url.length + 1);
    this.#length += own.write(`${url}\n`, this.#length, 'latin1');
    this.pages += 1;
  }

  /** Returns the lines, and starts again without any. */
  take(): LineBatch {
    const whole = this.#bytes;
    const bytes = whole.subarray(0, this.#length);
    const release = (): void => {
      if (whole.length > 0) this.#free.push(whole);
    };
    const batch = { type: 'lines', pages: this.pages, bytes, release } as const;
    this.#bytes = NOTHING;
    this.#length = 0;
    this.pages = 0;
    return batch;
  }

  #makeRoom(more: number): Buffer<ArrayBuffer> {
    const least = this.#length + more;
    if (least <= this.#bytes.length) return this.#bytes;
    if (this.#length === 0 && more <= ROOM) {
      this.#bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(ROOM);
      return this.#bytes;
    }
    const larger = Buffer.allocUnsafeSlow(Math.max(ROOM, this.#bytes.length * 2, least));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    return larger;
  }
}
