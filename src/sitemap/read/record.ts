import { SitemapError } from '../problems.ts';
import type { Sink } from './reader.ts';

/** Elements in a row that name no page. Hostile files hold millions of them, honest ones do not. */
const UNUSABLE_LIMIT = 50_000;
const TEXT_LIMIT = 256 * 1024;

/**
 * The record being read: its loc, its lastmod, and whether it is whole. It goes to the sink when its element is closed,
 * so half a record never does.
 */
export class OpenRecord {
  readonly #sink: Sink;
  /** What its element is; 'none' between records. */
  kind: 'none' | 'url' | 'sitemap' = 'none';
  /** Hash of the name of its element, prefix included: the same name inside it means a nested or an unclosed record. */
  name = 0;
  /** Offset in the document where it begins. */
  at = 0;
  loc: string | null = null;
  lastmod: string | null = null;
  readonly alternates: string[] = [];
  /** Something in it never ended, so its loc may be wrong. */
  damaged = false;

  /** The field whose text is being read. */
  field: 'none' | 'loc' | 'lastmod' = 'none';
  #text = '';
  /** The text is one piece and needs no trimming. */
  #isPlain = false;
  /** An element stands inside the text. */
  mixed = false;
  #unusableInARow = 0;

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

  /** Usually the whole text: printable ASCII without white space. */
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

  /** The text never ended, so it may include what follows it. */
  abandonField(): void {
    this.field = 'none';
    this.damaged = true;
  }

  end(): void {
    const { kind, loc, lastmod } = this;
    this.kind = 'none';
    if (loc === null || this.damaged) {
      if (!this.damaged) this.#sink.problem('BAD_URL', 'warning', 'a record without <loc>', this.at);
      this.countUnusable();
      return;
    }
    this.countUsable();
    if (kind === 'sitemap') this.#sink.child(loc);
    else this.#sink.page(loc, lastmod);
    for (const href of this.alternates) if (href !== loc) this.#sink.page(href, lastmod);
  }

  /** Counts a record that names a page or a sitemap. */
  countUsable(): void {
    this.#unusableInARow = 0;
  }

  /** Counts an element that names no page. */
  countUnusable(): void {
    this.#sink.unusable();
    this.#unusableInARow += 1;
    if (this.#unusableInARow > UNUSABLE_LIMIT) {
      throw new SitemapError('RECORD_TOO_LARGE', `more than ${UNUSABLE_LIMIT} elements in a row that name no page`);
    }
  }
}

/** Without surrounding white space; line ends as XML has them. */
function trimmed(text: string): string {
  const tidy = text.trim();
  return tidy.includes('\r') ? tidy.replace(/\r\n?/g, '\n') : tidy;
}
