import { SitemapError } from '../problems.ts';

/** Small enough that the string of a block lives and dies in V8's young generation. */
const BLOCK = 64 * 1024;
/** Fewer bytes than this are not worth a look: a server that sends byte by byte must not make us look byte by byte. */
const WORTH_A_LOOK = 16 * 1024;
/** The largest tag, text or CDATA section that is held at once. */
export const TOKEN_LIMIT = 256 * 1024;

/**
 * Cuts a stream of bytes into blocks that begin where the last one was left. What `scan` does not consume comes again
 * in front of the next bytes, but only when at least as many new ones have come: looking twice at the unfinished token
 * stays linear, however the bytes trickle in.
 */
export class BlockFeeder {
  readonly #scan: (block: Buffer) => number;
  #carry: Buffer = Buffer.alloc(0);
  #fresh: Buffer[] = [];
  #freshBytes = 0;
  /** Byte of the document where the block being scanned begins. */
  base = 0;

  constructor(scan: (block: Buffer) => number) {
    this.#scan = scan;
  }

  write(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; from += BLOCK) {
      const part = bytes.length <= BLOCK ? bytes : bytes.subarray(from, from + BLOCK);
      this.#fresh.push(part);
      this.#freshBytes += part.length;
      if (this.#freshBytes >= Math.max(WORTH_A_LOOK, this.#carry.length)) this.#look();
    }
  }

  /** Looks at what is left; returns the bytes that nobody consumed. */
  end(): Buffer {
    if (this.#freshBytes > 0) this.#look();
    return this.#carry;
  }

  #look(): void {
    const alone = this.#carry.length === 0 && this.#fresh.length === 1;
    const block = alone ? this.#fresh[0]! : Buffer.concat([this.#carry, ...this.#fresh]);
    this.#fresh = [];
    this.#freshBytes = 0;
    const used = this.#scan(block);
    this.base += used;
    this.#carry = block.subarray(used);
    if (this.#carry.length > TOKEN_LIMIT) {
      throw new SitemapError(
        'RECORD_TOO_LARGE',
        `one tag or text at byte ${this.base} is larger than ${TOKEN_LIMIT} bytes`,
      );
    }
  }
}
