import { createHash } from 'node:crypto';

/** How far an earlier attempt came: so many bytes, with this digest. */
export interface Prefix {
  readonly bytes: number;
  readonly digest: string;
}

/** The bytes of this attempt do not begin with those of the attempt that it resumes. */
export class BodyChangedError extends Error {
  override readonly name = 'BodyChangedError';
}

/** Counts and digests the bytes of a body while they are read. */
export class BodyDigest {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  /** The bytes read so far. */
  get prefix(): Prefix {
    return { bytes: this.#bytes, digest: this.#hash.copy().digest('hex') };
  }

  /** Passes the bytes on. Throws BodyChangedError where they turn out not to begin with `expected`. */
  async *through(source: AsyncIterable<Buffer>, expected: Prefix | undefined): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const left = expected === undefined ? 0 : expected.bytes - this.#bytes;
      if (expected !== undefined && left > 0 && left <= chunk.length) {
        this.#add(chunk.subarray(0, left));
        if (this.prefix.digest !== expected.digest) throw new BodyChangedError();
        this.#add(chunk.subarray(left));
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

/** Bytes that are held back to find out whether anything changed. */
const HOLD = 4 * 1024 * 1024;

/** Reads a small body as a whole, or the beginning of a larger one. `bytes` is the body from its first byte. */
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
