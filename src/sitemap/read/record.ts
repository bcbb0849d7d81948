import { SitemapError } from '../problems.ts';
import type { Sink } from './reader.ts';

/** Elements in a row that name no page: hostile files are made of millions of them, no honest one is. */
const NOISE_LIMIT = 50_000;
const TEXT_LIMIT = 256 * 1024;

/**
 * What is known of the record being read: its loc, its lastmod, and whether it is whole. It goes to the sink when it is
 * closed, so half of one never does.
 */
export class OpenRecord {
  readonly #sink: Sink;
  /** What its element is; 'none' between records. */
  kind: 'none' | 'url' | 'sitemap' = 'none';
  /** Hash of the name of its element, prefix included: the same name inside means that it was never closed. */
  name = 0;
  /** Byte of the document where it begins. */
  at = 0;
  loc: string | null = null;
  lastmod: string | null = null;
  readonly alternates: string[] = [];
  /** Something in it never ended: what it would give may be wrong. */
  damaged = false;

  /** The field whose text is being read. */
  field: 'none' | 'loc' | 'lastmod' = 'none';
  #text = '';
  /** The text is one piece that needs no trimming. */
  #isPlain = false;
  /** An element stands inside the text. */
  mixed = false;
  #noise = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  begin(kind: 'url' | 'sitemap', name: number, at: number): void {
    this.kind = kind;
    this.name = name;
    this.at = at;
    this.loc = null;
    this.lastmod = null;
    this.damaged = false;
    if (this.alternates.length > 0) this.alternates.length = 0;
  }

  beginField(field: 'loc' | 'lastmod'): void {
    this.field = field;
    this.#text = '';
    this.#isPlain = false;
    this.mixed = false;
  }

  /** Whether the field has no text yet. */
  get isBlank(): boolean {
    return this.#text === '';
  }

  /** The whole text, most of the time: printable ASCII without white space. */
  addPlain(text: string): void {
    this.#text = text;
    this.#isPlain = true;
  }

  add(piece: string): void {
    if (this.#text.length + piece.length > TEXT_LIMIT) {
      throw new SitemapError('RECORD_TOO_LARGE', `the text of one element is larger than ${TEXT_LIMIT} characters`);
    }
    this.#isPlain = false;
    this.#text += piece;
  }

  endField(): void {
    const text = this.#isPlain ? this.#text : trimmed(this.#text);
    if (this.field === 'loc') {
      this.loc = text;
      if (this.mixed) {
        this.damaged = true;
        this.#sink.problem('BAD_URL', 'warning', 'markup inside <loc>', this.at);
      }
    } else if (this.mixed) this.#sink.problem('LASTMOD_INVALID', 'warning', 'markup inside <lastmod>', this.at);
    else this.lastmod = text === '' ? null : text;
    this.field = 'none';
    this.#text = '';
  }

  /** The text has no end, so it may hold what comes after it. */
  abandonField(): void {
    this.field = 'none';
    this.damaged = true;
  }

  end(): void {
    const { kind, loc, lastmod } = this;
    this.kind = 'none';
    if (loc === null || this.damaged) {
      if (!this.damaged) this.#sink.problem('BAD_URL', 'warning', 'a record without <loc>', this.at);
      this.countNoise();
      return;
    }
    this.#noise = 0;
    if (kind === 'sitemap') this.#sink.child(loc);
    else this.#sink.page(loc, lastmod);
    for (const href of this.alternates) if (href !== loc) this.#sink.page(href, lastmod);
  }

  /** One more element that names no page. */
  countNoise(): void {
    this.#noise += 1;
    if (this.#noise > NOISE_LIMIT) {
      throw new SitemapError('RECORD_TOO_LARGE', `more than ${NOISE_LIMIT} elements in a row that name no page`);
    }
  }
}

/** Without surrounding white space; line ends as XML has them. */
function trimmed(text: string): string {
  const tidy = text.trim();
  return tidy.includes('\r') ? tidy.replace(/\r\n?/g, '\n') : tidy;
}
