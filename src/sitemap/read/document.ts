import type { SitemapKind } from '../events.ts';
import { SitemapError } from '../problems.ts';
import { detectEncoding, transcoder } from './encoding.ts';
import { FeedReader } from './feed-reader.ts';
import { decompressed } from './gunzip.ts';
import type { DocumentReader, Sink } from './reader.ts';
import { RecordReader } from './record-reader.ts';
import { RobotsReader } from './robots-reader.ts';
import { SNIFF_LIMIT, sniff } from './sniff.ts';
import { TextReader } from './text-reader.ts';

/** Enough for nearly every prolog; more is read when it is not. */
const FIRST_LOOK = 1_024;

/** sitemaps.org: 50 MB, here as the 52,428,800 bytes that it names. */
const PROTOCOL_BYTES = 52_428_800;

export interface DocumentSource {
  /** The bytes as sent. */
  readonly bytes: AsyncIterable<Buffer>;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  /** The path of the URL, or the name of the file. */
  readonly path: string;
}

export interface ReadOptions {
  readonly maxBytes: number;
  /** Whether hreflang alternates are pages. */
  readonly alternates: boolean;
  /** Called between blocks: hands on what the sink has gathered, and holds the reading back until that is taken. */
  readonly drain: () => Promise<void>;
  /** Told as soon as the first bytes show it, before anything is given to the sink. */
  readonly onKind: (kind: SitemapKind) => void;
}

/**
 * Reads a document of any kind, packing and encoding from first byte to last; what it holds goes to the sink. Throws
 * SitemapError when it could not be read to its end; then everything whole before that has been given to the sink.
 */
export async function readDocument(source: DocumentSource, sink: Sink, options: ReadOptions): Promise<void> {
  const nested = () => sink.problem('GZIP_NESTED', 'warning', 'gzip inside gzip');
  const document = new Document(source, sink, options);
  let isReading = false;
  try {
    for await (const chunk of decompressed(source.bytes, source.contentEncoding, options, nested)) {
      isReading = true;
      document.write(chunk);
      isReading = false;
      release(chunk);
      await options.drain();
    }
  } catch (error) {
    // A reader that gave up stands in the middle of something: it has given what it will give.
    if (!isReading) document.cut();
    throw error;
  }
  document.end();
}

/**
 * Gives the memory of a chunk back now. The collector would get to it after tens of megabytes more, because it does not
 * feel memory outside of its heap: this is what keeps a crawl of gigabytes as small as one of kilobytes. Chunks are read
 * in order, so with the one that ends a piece of memory all that lay in it has been read. Memory that Node shares among
 * small buffers is left alone.
 */
function release(chunk: Buffer): void {
  const memory = chunk.buffer;
  if (!(memory instanceof ArrayBuffer) || memory.byteLength < 32_768 || memory.byteLength === Buffer.poolSize) return;
  if (chunk.byteOffset + chunk.length === memory.byteLength) memory.transfer(0);
}

class Document {
  readonly #source: DocumentSource;
  readonly #sink: Sink;
  readonly #options: ReadOptions;
  #bytes = 0;
  #head: Buffer = Buffer.alloc(0);
  #text: Buffer = Buffer.alloc(0);
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #decode: ((bytes: Buffer, last: boolean) => Buffer) | undefined;
  #isDecided = false;
  #reader: DocumentReader | undefined;

  constructor(source: DocumentSource, sink: Sink, options: ReadOptions) {
    this.#source = source;
    this.#sink = sink;
    this.#options = options;
  }

  write(chunk: Buffer): void {
    const before = this.#bytes;
    this.#bytes += chunk.length;
    if (before <= PROTOCOL_BYTES && this.#bytes > PROTOCOL_BYTES) {
      this.#sink.problem(
        'TOO_LARGE',
        'warning',
        `larger than the ${PROTOCOL_BYTES} bytes of the protocol; reading goes on`,
      );
    }
    if (this.#isDecided) this.#pass(this.#decode === undefined ? chunk : this.#decode(chunk, false), false);
    else {
      this.#head = Buffer.concat([this.#head, chunk]);
      if (this.#head.length >= FIRST_LOOK) this.#decideEncoding(false);
    }
  }

  end(): void {
    if (!this.#isDecided) this.#decideEncoding(true);
    else this.#pass(this.#decode?.(Buffer.alloc(0), true) ?? Buffer.alloc(0), true);
    this.#reader?.end(false);
  }

  /** The bytes broke off: gives on what is whole. */
  cut(): void {
    try {
      if (!this.#isDecided) this.#decideEncoding(true);
      else if (this.#reader === undefined) this.#pass(Buffer.alloc(0), true);
      this.#reader?.end(true);
    } catch (error) {
      // Why the bytes broke off says more than what the piece of them that came is.
      if (!(error instanceof SitemapError)) throw error;
    }
  }

  #decideEncoding(last: boolean): void {
    this.#isDecided = true;
    const encoding = detectEncoding(this.#head, this.#source.contentType);
    if (encoding.misnamed !== undefined) {
      this.#sink.problem('XML_MALFORMED', 'warning', `it calls itself ${encoding.misnamed} and is not; read as UTF-8`);
    }
    this.#decode = transcoder(encoding);
    const bytes = this.#head.subarray(encoding.skip);
    this.#pass(this.#decode === undefined ? bytes : this.#decode(bytes, last), last);
  }

  /** Gives decoded bytes to the reader; before there is one, gathers them until they show which. */
  #pass(text: Buffer, last: boolean): void {
    if (this.#reader !== undefined) {
      this.#reader.write(text);
      return;
    }
    this.#waiting.push(Buffer.from(text));
    this.#waitingBytes += text.length;
    // Looked at again only when there is twice as much: a prolog that trickles in is not read a thousand times.
    if (!last && this.#waitingBytes < this.#text.length) return;
    this.#text = Buffer.concat([this.#text, ...this.#waiting.splice(0)]);
    this.#waitingBytes = 0;
    const found = sniff(this.#text.toString('latin1'), last, /(^|[/\\])robots\.txt$/i.test(this.#source.path));
    if (found === 'more') {
      // Nothing but white space so far: it is not worth keeping.
      if (this.#text.length > SNIFF_LIMIT) this.#text = Buffer.alloc(0);
      return;
    }
    if (found.skip > 0)
      this.#sink.problem('XML_MALFORMED', 'warning', `${found.skip} bytes of something else before the document`);
    this.#options.onKind(found.kind);
    this.#reader = this.#createReader(found.kind);
    this.#reader.write(this.#text.subarray(found.skip));
    this.#text = Buffer.alloc(0);
  }

  #createReader(kind: SitemapKind): DocumentReader {
    if (kind === 'text') return new TextReader(this.#sink);
    if (kind === 'robots') return new RobotsReader(this.#sink);
    if (kind === 'rss' || kind === 'atom') return new FeedReader(this.#sink);
    return new RecordReader(this.#sink, { alternates: this.#options.alternates });
  }
}
