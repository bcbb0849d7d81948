import type { Gunzip } from 'node:zlib';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  inflateRawSync,
} from 'node:zlib';
import { SitemapError } from '../problems.ts';

const MAX_LAYERS = 3;
/** What goes in at once; at the worst ratio of deflate it comes out as 16 MB, and then the limits are looked at. */
const INPUT = 16 * 1024;
/** What comes out at once. With the 16 KB of the default, handing pieces over costs more than unpacking them. */
const OUTPUT = 128 * 1024;
/** What may come out of one piece. Deflate at its worst stays below. */
const HELD_LIMIT = 24 * 1024 * 1024;
/** More than this and nothing but a bomb is packed so tightly. Sitemaps reach 10 to 40. */
const MAX_RATIO = 250;
const RATIO_MATTERS_FROM = 8 * 1024 * 1024;

export interface DecodeLimits {
  /** Bytes after decompression. */
  readonly maxBytes: number;
}

/** Told once when there was more than one layer of gzip. */
export type OnNested = () => void;

/**
 * Unpacks by content: whatever begins with the magic of gzip is unpacked, up to three layers, whether a header or a
 * name says so or not. Brotli and the others have no magic, so for them the Content-Encoding is believed unless the
 * bytes are plainly a document already.
 */
export async function* decompressed(
  source: AsyncIterable<Buffer>,
  contentEncoding: string | undefined,
  limits: DecodeLimits,
  onNested: OnNested,
): AsyncGenerator<Buffer> {
  let wire = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      wire += chunk.length;
      yield chunk;
    }
  }
  let decoded = 0;
  for await (const chunk of layers(counted(), contentEncoding?.trim().toLowerCase(), onNested)) {
    decoded += chunk.length;
    if (decoded > limits.maxBytes) {
      throw new SitemapError(
        'TOO_LARGE',
        `the document is larger than ${limits.maxBytes} bytes, the limit of this crawl`,
      );
    }
    if (decoded > RATIO_MATTERS_FROM && decoded > wire * MAX_RATIO) {
      throw new SitemapError(
        'TOO_LARGE',
        `${wire} bytes unpack to more than ${decoded}: no sitemap is packed so tightly`,
      );
    }
    yield chunk;
  }
}

async function* layers(
  source: AsyncIterable<Buffer>,
  encoding: string | undefined,
  onNested: OnNested,
  depth = 0,
): AsyncGenerator<Buffer> {
  const { head, rest } = await peek(source);
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const open = isGzip ? createGunzip : depth === 0 && !isPlain(head) ? findDecompressor(encoding, head) : undefined;
  if (open === undefined) {
    yield* rest;
    return;
  }
  if (isGzip && depth >= MAX_LAYERS) throw new SitemapError('GZIP_NESTED', `more than ${MAX_LAYERS} layers of gzip`);
  if (isGzip && depth === 1) onNested();
  yield* layers(unpack(rest, open({ chunkSize: OUTPUT })), undefined, onNested, depth + 1);
}

/** Looks at the first bytes: enough for a magic number or the beginning of a document. */
async function peek(source: AsyncIterable<Buffer>): Promise<{ head: Buffer; rest: AsyncGenerator<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 16) {
    const { value, done } = await iterator.next();
    if (done === true) break;
    head = Buffer.concat([head, value]);
  }
  async function* rest(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      for (;;) {
        const { value, done } = await iterator.next();
        if (done === true) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { head, rest: rest() };
}

/** Whether this is the beginning of a document and not of a packed one. */
const isPlain = (head: Buffer) =>
  head.length === 0 ||
  /^(\xef\xbb\xbf)?\s*(<[?!a-z]|https?:|user-agent:|sitemap:)/i.test(head.toString('latin1', 0, 16));

type Decompressor = Pick<Gunzip, 'write' | 'end' | 'on' | 'once' | 'destroy'>;

function findDecompressor(
  encoding: string | undefined,
  head: Buffer,
): ((options: { chunkSize: number }) => Decompressor) | undefined {
  if (encoding === 'br') return createBrotliDecompress;
  if (encoding === 'zstd') return createZstdDecompress;
  if (encoding !== 'deflate') return undefined;
  // "deflate" is meant with the zlib header and often sent without it.
  const hasHeader = (head[0]! & 0x0f) === 8 && head.length > 1 && head.readUInt16BE(0) % 31 === 0;
  return hasHeader ? createInflate : createInflateRaw;
}

/**
 * Runs bytes through a decompressor that works on another thread: while it unpacks one piece, the piece before is read
 * here. Listens to `data` itself, because an iterator over the stream would lose what was unpacked just before damage.
 */
async function* unpack(source: AsyncIterable<Buffer>, stream: Decompressor): AsyncGenerator<Buffer> {
  const salvage = new Salvage();
  let ready: Buffer[] = [];
  let held = 0;
  let failure: Error | undefined;
  let ended = false;
  let wake = () => {};
  stream.on('data', (chunk: Buffer) => {
    held += chunk.length;
    // Brotli knows no worst ratio: a few bytes may come out as gigabytes before anyone can look at the limits.
    if (held > HELD_LIMIT) {
      failure ??= new SitemapError(
        'TOO_LARGE',
        `${INPUT} bytes unpack to more than ${HELD_LIMIT}: no sitemap is packed so tightly`,
      );
      stream.destroy();
      wake();
      return;
    }
    salvage.came(chunk);
    ready.push(chunk);
  });
  stream.on('error', (error: Error) => {
    failure ??= error;
    wake();
  });
  stream.once('end', () => {
    ended = true;
    wake();
  });
  /** Settles when the piece is worked off; also when the stream ends or breaks on it. */
  const until = (start: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (failure !== undefined || ended) resolve();
      else start(resolve);
    });
  try {
    for await (const piece of pieces(source)) {
      salvage.sent(piece);
      const worked = until((done) => stream.write(piece, done));
      const before = ready;
      ready = [];
      held = 0;
      yield* before;
      await worked;
      // What follows the last member (padding, mostly) is nobody's.
      if (failure !== undefined || ended) break;
    }
    if (failure === undefined && !ended) await until(() => stream.end());
    yield* ready.splice(0);
    if (failure !== undefined) {
      if (failure instanceof SitemapError) throw failure;
      yield* salvage.rest();
      throw corrupt(failure);
    }
  } catch (error) {
    yield* ready.splice(0);
    throw error;
  } finally {
    stream.destroy();
  }
}

/** Files up to this size are unpacked a second time when they are damaged. */
const SALVAGE = 64 * 1024;

/**
 * zlib keeps back what it unpacked from the piece that the damage is in, and a small file is one piece: one wrong bit in
 * its checksum would cost all of it. So the bytes of a small gzip are kept until it is done, and unpacked once more
 * without looking at the checksum.
 */
class Salvage {
  #input: Buffer[] | undefined = [];
  #size = 0;
  #given = 0;

  sent(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size > SALVAGE) this.#input = undefined;
    else this.#input?.push(Buffer.from(piece));
  }

  came(chunk: Buffer): void {
    this.#given += chunk.length;
  }

  rest(): Buffer[] {
    const input = this.#input === undefined ? Buffer.alloc(0) : Buffer.concat(this.#input);
    // The two headers that tools write: ten bytes, and then the name of the file or nothing.
    if (input[0] !== 0x1f || input[1] !== 0x8b || (input[3] !== 0 && input[3] !== 8)) return [];
    const body = input[3] === 0 ? 10 : input.indexOf(0, 10) + 1;
    try {
      const whole = inflateRawSync(input.subarray(body), {
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: 1 << 24,
      });
      return whole.length > this.#given ? [whole.subarray(this.#given)] : [];
    } catch {
      return [];
    }
  }
}

async function* pieces(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    for (let from = 0; from < chunk.length; from += INPUT) yield chunk.subarray(from, from + INPUT);
  }
}

function corrupt(cause: Error): SitemapError {
  const truncated = /unexpected end|incomplete/i.test(cause.message);
  return truncated
    ? new SitemapError('GZIP_TRUNCATED', 'the packed bytes end too early', { cause })
    : new SitemapError('GZIP_CORRUPT', `the packed bytes are damaged (${cause.message})`, { cause });
}
