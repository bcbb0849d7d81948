import { createHash } from 'node:crypto';
import { findSentLabel } from './read/encoding.ts';

/** How far an earlier attempt came: so many bytes, with this digest. */
export interface Prefix {
  readonly bytes: number;
  readonly digest: string;
}

/** The bytes of this attempt do not begin with those of the attempt that it resumes. */
export class BodyChangedError extends Error {
  override readonly name = 'BodyChangedError';
}

/**
 * Counts and digests the bytes of a body while they are read. The encoding that the server names is part of the digest,
 * because the same bytes are other texts in another one.
 */
export class BodyDigest {
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(contentType?: string) {
    const label = findSentLabel(contentType);
    if (label !== undefined && label !== 'utf-8') this.#hash.update(`${label}\n`);
  }

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

/**
 * Reads a small body as a whole, or the beginning of a larger one. `bytes` is the body from its first byte; where the source
 * breaks off, `bytes` does so at the same byte, because the records before it are read.
 */
export async function holdBack(
  source: AsyncGenerator<Buffer>,
): Promise<{ whole: boolean; bytes: AsyncIterable<Buffer> }> {
  const held: Buffer[] = [];
  let size = 0;
  let whole = false;
  let broken: { readonly error: unknown } | undefined;
  try {
    while (size < HOLD) {
      const { value, done } = await source.next();
      if (done === true) {
        whole = true;
        break;
      }
      held.push(value);
      size += value.length;
    }
  } catch (error) {
    broken = { error };
  }
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      yield* held.splice(0);
      if (broken !== undefined) throw broken.error;
      yield* source;
    } finally {
      await source.return(undefined);
    }
  }
  return { whole, bytes: bytes() };
}
