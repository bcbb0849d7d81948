import { SitemapError } from '../problems.ts';

/** Small enough that the string of a block is collected in V8's young generation. */
const BLOCK = 64 * 1024;
/** The largest tag, text or CDATA section that is held at once. */
export const TOKEN_LIMIT = 256 * 1024;

/**
 * Cuts a stream of bytes into blocks. Bytes that `scan` does not consume are scanned again in front of the next ones, but
 * only when their number has doubled, so input that trickles in is scanned in linear time. All bytes are copied into one
 * buffer, so no chunk of the caller is kept alive.
 */
export class BlockFeeder {
  readonly #scan: (block: Buffer) => number;
  #buffer: Buffer = Buffer.allocUnsafeSlow(BLOCK);
  #filled = 0;
  /** Offset in the document of the block that is being scanned. */
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
      if (this.#filled === this.#buffer.length) this.#scanBuffer();
    }
  }

  /** Scans the rest. Returns the bytes that were not consumed. */
  end(): Buffer {
    if (this.#filled > 0) this.#scanBuffer();
    return this.#buffer.subarray(0, this.#filled);
  }

  #scanBuffer(): void {
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
