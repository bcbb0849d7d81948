import { createHash } from 'node:crypto';

/** How far an earlier try came: so many bytes, with this digest. */
export interface Prefix {
  readonly bytes: number;
  readonly digest: string;
}

/** The bytes of this try are not those of the try that it goes on from: the sitemap changed in between. */
export class BodyChangedError extends Error {
  override readonly name = 'BodyChangedError';
}

/** Bytes as they were sent, counted and digested on their way through. */
export class BodyDigest {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  /** What came so far. */
  get prefix(): Prefix {
    return { bytes: this.#bytes, digest: this.#hash.copy().digest('hex') };
  }

  /** Passes the bytes on; throws BodyChangedError where they turn out not to begin with `expected`. */
  async *through(source: AsyncIterable<Buffer>, expected: Prefix | undefined): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const border = expected === undefined ? 0 : expected.bytes - this.#bytes;
      if (border > 0 && border <= chunk.length) {
        this.#add(chunk.subarray(0, border));
        if (this.prefix.digest !== expected!.digest) throw new BodyChangedError();
        this.#add(chunk.subarray(border));
      } else this.#add(chunk);
      yield chunk;
    }
    if (expected !== undefined && this.#bytes < expected.bytes) throw new BodyChangedError();
  }

  #add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }
}

/** As much as is held back to see whether anything changed at all. */
const HOLD = 4 * 1024 * 1024;

/** The whole of a small body at once, or the beginning of a larger one and how to go on. */
export async function holdBack(
  source: AsyncGenerator<Buffer>,
): Promise<{ whole: boolean; bytes: AsyncIterable<Buffer> }> {
  const held: Buffer[] = [];
  let size = 0;
  let whole = false;
  while (size < HOLD) {
    const { value, done } = await source.next();
    if (done === true) {
      whole = true;
      break;
    }
    held.push(value);
    size += value.length;
  }
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      yield* held.splice(0);
      yield* source;
    } finally {
      await source.return(undefined);
    }
  }
  return { whole, bytes: bytes() };
}
