import { SitemapError } from '../problems.ts';

/** Small enough that the string of a block lives and dies in V8's young generation. */
const BLOCK = 64 * 1024;
/** The largest tag, text or CDATA section that is held at once. */
export const TOKEN_LIMIT = 256 * 1024;

/**
 * Cuts a stream of bytes into blocks that begin where the last one was left. What `scan` does not consume comes again
 * in front of the next bytes, but only when as many new ones have come: looking twice at an unfinished token stays
 * linear, however the bytes trickle in. Everything goes through one buffer, so nobody's chunks are kept alive.
 */
export class BlockFeeder {
  readonly #scan: (block: Buffer) => number;
  #buffer: Buffer = Buffer.allocUnsafeSlow(BLOCK);
  #filled = 0;
  /** Byte of the document where the block being scanned begins. */
  base = 0;

  constructor(scan: (block: Buffer) => number) {
    this.#scan = scan;
  }

  write(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      const copied = bytes.copy(this.#buffer, this.#filled, at);
      at += copied;
      this.#filled += copied;
      if (this.#filled === this.#buffer.length) this.#look();
    }
  }

  /** Looks at what is left; returns the bytes that nobody consumed. */
  end(): Buffer {
    if (this.#filled > 0) this.#look();
    return this.#buffer.subarray(0, this.#filled);
  }

  #look(): void {
    const used = this.#scan(this.#buffer.subarray(0, this.#filled));
    this.base += used;
    const rest = this.#filled - used;
    if (rest > TOKEN_LIMIT) {
      throw new SitemapError(
        'RECORD_TOO_LARGE',
        `one tag or text at byte ${this.base} is larger than ${TOKEN_LIMIT} bytes`,
      );
    }
    const room = rest * 2 <= this.#buffer.length ? this.#buffer : Buffer.allocUnsafeSlow(this.#buffer.length * 2);
    this.#buffer.copy(room, 0, used, this.#filled);
    this.#buffer = room;
    this.#filled = rest;
  }
}
