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
/** Bytes that go in at once. At the worst ratio of deflate 16 MB come out before the limits are checked. */
const INPUT = 16 * 1024;
/** Bytes that come out at once. With the default of 16 KB, handing pieces over costs more than unpacking them. */
const OUTPUT = 128 * 1024;
/** Bytes that may come out of one piece. Deflate at its worst ratio stays below. */
const HELD_LIMIT = 24 * 1024 * 1024;
/** Sitemaps are packed 10 to 40 times. Only a bomb is packed more tightly than this. */
const MAX_RATIO = 250;
/** Each frame of zstd costs a decompressor of its own. */
const MAX_FRAMES = 10_000;
const RATIO_MATTERS_FROM = 8 * 1024 * 1024;

export interface DecodeLimits {
  /** Bytes after decompression. */
  readonly maxBytes: number;
}

/**
 * Unpacks by content: bytes with the magic number of gzip are unpacked, up to three layers, whatever headers and names
 * say. Brotli, deflate and zstd are unpacked when Content-Encoding names them and the bytes are not a document already.
 * Several codings are undone from the last to the first.
 *
 * @param onNested called once, for gzip inside gzip apart from a gzip that Content-Encoding names
 */
export async function* decompressed(
  source: AsyncIterable<Buffer>,
  contentEncoding: string | undefined,
  limits: DecodeLimits,
  onNested: () => void,
): AsyncGenerator<Buffer> {
  let packed = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      packed += chunk.length;
      yield chunk;
    }
  }
  let decoded = 0;
  for await (const chunk of unpackLayers(counted(), parseCodings(contentEncoding), onNested)) {
    decoded += chunk.length;
    if (decoded > limits.maxBytes) {
      throw new SitemapError(
        'TOO_LARGE',
        `the document is larger than ${limits.maxBytes} bytes, the limit of this crawl (--max-bytes)`,
      );
    }
    if (decoded > RATIO_MATTERS_FROM && decoded > packed * MAX_RATIO) {
      throw new SitemapError('TOO_LARGE', `${packed} bytes unpack to more than ${decoded}, which no sitemap does`);
    }
    yield chunk;
  }
}

/** The codings of a Content-Encoding header in the order in which they were applied. */
const parseCodings = (header: string | undefined) =>
  (header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim().replace(/^x-/, ''))
    .filter((coding) => coding !== '' && coding !== 'identity');

/** Besides gzip, which is found by its magic number. */
const SUPPORTED = new Set(['br', 'deflate', 'zstd']);

async function* unpackLayers(
  source: AsyncIterable<Buffer>,
  codings: readonly string[],
  onNested: () => void,
  gzips = 0,
): AsyncGenerator<Buffer> {
  const { head, rest } = await peek(source);
  if (head[0] === 0x1f && head[1] === 0x8b) {
    if (gzips >= MAX_LAYERS) throw new SitemapError('GZIP_NESTED', `more than ${MAX_LAYERS} layers of gzip`);
    // A .gz file that is sent with a Content-Encoding of gzip has two layers, as it should.
    const isNamed = codings.at(-1) === 'gzip';
    if (gzips === 1 && !isNamed) onNested();
    const unpacked = unpack(rest, () => createGunzip({ chunkSize: OUTPUT }));
    yield* unpackLayers(unpacked, isNamed ? codings.slice(0, -1) : codings, onNested, gzips + (isNamed ? 0 : 1));
    return;
  }
  const coding = isPlain(head) ? undefined : codings.findLast((name) => name !== 'gzip');
  if (coding !== undefined && !SUPPORTED.has(coding)) {
    throw new SitemapError(
      'UNSUPPORTED_ENCODING',
      `its Content-Encoding is "${coding.slice(0, 40)}", which is not supported`,
    );
  }
  const open = coding === undefined ? undefined : findDecompressor(coding, head);
  if (coding === undefined || open === undefined) {
    yield* rest;
    return;
  }
  const left = codings.slice(0, codings.lastIndexOf(coding));
  yield* unpackLayers(
    unpack(rest, () => open({ chunkSize: OUTPUT }), coding === 'zstd'),
    left,
    onNested,
    gzips,
  );
}

/** Reads the first bytes: enough for a magic number or the beginning of a document. */
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

/** Whether bytes begin like a document that is not packed. */
const isPlain = (head: Buffer) =>
  head.length === 0 ||
  /^(\xef\xbb\xbf)?\s*(<[?!a-z]|https?:|user-agent:|sitemap:)/i.test(head.toString('latin1', 0, 16));

type Decompressor = Pick<Gunzip, 'write' | 'end' | 'on' | 'once' | 'destroy' | 'bytesWritten'>;

function findDecompressor(
  coding: string,
  head: Buffer,
): ((options: { chunkSize: number }) => Decompressor) | undefined {
  if (coding === 'br') return createBrotliDecompress;
  if (coding === 'zstd') return createZstdDecompress;
  if (coding !== 'deflate') return undefined;
  // "deflate" is meant with the zlib header and often sent without it.
  const hasHeader = head.length > 1 && (head.readUInt8(0) & 0x0f) === 8 && head.readUInt16BE(0) % 31 === 0;
  return hasHeader ? createInflate : createInflateRaw;
}

/**
 * Runs bytes through a decompressor on another thread: while it unpacks one piece, the piece before is parsed. Listens to
 * `data` itself, because an iterator over the stream loses what was unpacked just before damage.
 *
 * @param hasFrames the stream ends with a frame, and another one may follow (RFC 8878)
 */
async function* unpack(
  source: AsyncIterable<Buffer>,
  open: () => Decompressor,
  hasFrames = false,
): AsyncGenerator<Buffer> {
  const salvage = new Salvage();
  let ready: Buffer[] = [];
  let held = 0;
  let failure: Error | undefined;
  let ended = false;
  let frames = 1;
  let wake = () => {};
  const begin = (): Decompressor => {
    const begun = open();
    ended = false;
    begun.on('data', (chunk: Buffer) => {
      held += chunk.length;
      // Brotli has no worst ratio: a few bytes may become gigabytes before the limits are checked.
      if (held > HELD_LIMIT) {
        failure ??= new SitemapError(
          'TOO_LARGE',
          `${INPUT} bytes unpack to more than ${HELD_LIMIT}, which no sitemap does`,
        );
        begun.destroy();
        wake();
        return;
      }
      salvage.came(chunk);
      ready.push(chunk);
    });
    begun.on('error', (error: Error) => {
      failure ??= error;
      wake();
    });
    begun.once('end', () => {
      ended = true;
      wake();
    });
    return begun;
  };
  let stream = begin();
  /** Resolves when the piece is unpacked, or the stream ends or fails. */
  const until = (start: (done: () => void) => void) =>
    new Promise<void>((resolve) => {
      wake = resolve;
      if (failure !== undefined || ended) resolve();
      else start(resolve);
    });
  try {
    for await (const piece of pieces(source)) {
      salvage.sent(piece);
      let left: Buffer | undefined = piece;
      while (left !== undefined) {
        const part: Buffer = left;
        const written = stream.bytesWritten;
        const worked = until((done) => stream.write(part, done));
        const before = ready;
        ready = [];
        held = 0;
        yield* before;
        await worked;
        left = ended && hasFrames ? part.subarray(stream.bytesWritten - written) : undefined;
        if (left === undefined || !isFrame(left)) break;
        frames += 1;
        if (frames > MAX_FRAMES) {
          throw new SitemapError('TOO_LARGE', `it has more than ${MAX_FRAMES} frames of zstd, which no sitemap has`);
        }
        stream = begin();
      }
      // Padding after the last member is ignored.
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

/** Whether bytes behind a frame of zstd begin another one, or one to skip, rather than padding. */
const isFrame = ([first = 0]: Uint8Array): boolean => first === 0x28 || (first >= 0x50 && first <= 0x5f);

/** Files up to this size are unpacked a second time when they are damaged. */
const SALVAGE = 64 * 1024;

/**
 * zlib does not return what it unpacked from the piece with the damage, and a small file is one piece: a wrong bit in its
 * checksum would cost all of it. So the bytes of a small gzip are kept and unpacked a second time without the checksum.
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
    // The headers that tools write: ten bytes, then the name of the file or nothing.
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

function corrupt(cause: Error & { readonly code?: string }): SitemapError {
  return cause.code === 'Z_BUF_ERROR'
    ? new SitemapError('GZIP_TRUNCATED', 'the compressed bytes end too early', { cause })
    : new SitemapError('GZIP_CORRUPT', `the compressed bytes are damaged (${cause.message})`, { cause });
}
