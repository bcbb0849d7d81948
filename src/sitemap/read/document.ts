import type { SitemapKind } from '../events.ts';
import { freeChunk } from '../free-chunk.ts';
import { SitemapError } from '../problems.ts';
import { FORMATS, type ReaderOptions } from './formats.ts';
import { decompressed } from './gunzip.ts';
import type { DocumentReader, Sink } from './reader.ts';
import { SNIFF_LIMIT, sniff } from './sniff.ts';
import { Transcoder } from './transcoder.ts';

/** Enough to sniff most documents. */
const SNIFF_MIN = 1_024;

/** The limit of the protocol: 50 MB, which it gives as 52,428,800 bytes. */
const PROTOCOL_BYTES = 52_428_800;

export interface DocumentSource {
  /** The bytes as sent. */
  readonly bytes: AsyncIterable<Buffer>;
  readonly contentType?: string | undefined;
  readonly contentEncoding?: string | undefined;
  /** The path of the URL, or the name of the file. */
  readonly path: string;
}

export interface ReadOptions extends ReaderOptions {
  readonly maxBytes: number;
  /** Called between blocks: hands on what the sink has collected, and resolves when that is taken. */
  readonly drain: () => Promise<void>;
  /**
   * Asked at the end of lines of text, which have no end of their own; nor has what packs them, because a member of gzip and a
   * frame of zstd may be followed by another. False: they may have broken off, so the last line may be half of one and is
   * left out.
   */
  readonly isWhole?: () => boolean;
  /** Called when the first bytes show the kind, before the sink gets a record. */
  readonly onKind: (kind: SitemapKind) => void;
}

/**
 * Reads a document of any kind, compression and encoding; its records go to the sink. Throws SitemapError when it cannot be
 * read to its end; then the sink has every whole record before that point.
 */
export async function readDocument(source: DocumentSource, sink: Sink, options: ReadOptions): Promise<void> {
  const document = new Document(source, sink, options);
  const onNested = () => sink.problem('GZIP_NESTED', 'warning', 'gzip inside gzip');
  let isReading = false;
  try {
    for await (const chunk of decompressed(source.bytes, source.contentEncoding, options, onNested)) {
      isReading = true;
      document.write(chunk);
      isReading = false;
      freeChunk(chunk);
      await options.drain();
    }
  } catch (error) {
    // A reader that threw has given every record that it will give.
    if (!isReading) document.cut();
    throw error;
  }
  document.end();
}

class Document {
  readonly #source: DocumentSource;
  readonly #sink: Sink;
  readonly #options: ReadOptions;
  readonly #transcoder: Transcoder;
  #bytes = 0;
  #text: Buffer = Buffer.alloc(0);
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #reader: DocumentReader | undefined;
  #kind: SitemapKind | undefined;

  constructor(source: DocumentSource, sink: Sink, options: ReadOptions) {
    this.#source = source;
    this.#sink = sink;
    this.#options = options;
    this.#transcoder = new Transcoder(source.contentType, (declared) =>
      sink.problem(
        'XML_MALFORMED',
        'warning',
        `it declares the encoding ${declared} but is UTF-8, and is read as UTF-8`,
      ),
    );
  }

  write(chunk: Buffer): void {
    const before = this.#bytes;
    this.#bytes += chunk.length;
    if (before <= PROTOCOL_BYTES && this.#bytes > PROTOCOL_BYTES) {
      const message = `larger than the ${PROTOCOL_BYTES} bytes of the protocol; all of it is read`;
      this.#sink.problem('TOO_LARGE', 'warning', message);
    }
    this.#pass(this.#transcoder.write(chunk, false), false);
  }

  end(): void {
    this.#pass(this.#transcoder.write(Buffer.alloc(0), true), true);
    const hasEnd = this.#kind === undefined || FORMATS[this.#kind].hasEnd;
    this.#reader?.end(!hasEnd && this.#options.isWhole?.() === false);
  }

  /** The bytes broke off: hands on the records that are whole. */
  cut(): void {
    try {
      this.#pass(this.#transcoder.write(Buffer.alloc(0), true), true);
      this.#reader?.end(true);
    } catch (error) {
      // The reason why the bytes broke off is more useful than what is wrong with the part that came.
      if (!(error instanceof SitemapError)) throw error;
    }
  }

  /** Hands decoded bytes to the reader. Until there is one, collects them to find out which. */
  #pass(text: Buffer, last: boolean): void {
    if (this.#reader !== undefined) {
      this.#reader.write(text);
      return;
    }
    this.#waiting.push(Buffer.from(text));
    this.#waitingBytes += text.length;
    // Sniffed again only when the text has doubled, so a prolog that trickles in is scanned in linear time.
    if (!last && this.#waitingBytes < Math.max(this.#text.length, SNIFF_MIN)) return;
    this.#text = Buffer.concat([this.#text, ...this.#waiting.splice(0)]);
    this.#waitingBytes = 0;
    const found = sniff(this.#text.toString('latin1'), last, /(^|[/\\])robots\.txt$/i.test(this.#source.path));
    if (found === 'more') {
      // Only white space so far.
      if (this.#text.length > SNIFF_LIMIT) this.#text = Buffer.alloc(0);
      return;
    }
    if (found.skip > 0) {
      this.#sink.problem('XML_MALFORMED', 'warning', `${found.skip} bytes of something else before the document`);
    }
    this.#kind = found.kind;
    this.#options.onKind(found.kind);
    this.#reader = FORMATS[found.kind].open(this.#sink, this.#options);
    this.#reader.write(this.#text.subarray(found.skip));
    this.#text = Buffer.alloc(0);
  }
}
