import type { Block } from './block.ts';
import { findMarkup, Piece } from './piece.ts';

/** Layouts that are kept: generators leave fields out, and write a few different priorities. */
const MAX_LAYOUTS = 4;
const MAX_LENGTH = 2_000;
/** Layouts that are learned before their use is judged. */
const TRIAL = 100;

/** The markup around the fields of a record. */
interface Layout {
  /** From the `<` of the record to the text of its loc. */
  readonly head: Piece;
  /** From the end of that text to the text of its lastmod; null when it has none. */
  readonly middle: Piece | null;
  /** From the end of the last text to the end of the record. */
  readonly tail: Piece;
  readonly kind: 'url' | 'sitemap';
  readonly name: number;
}

/** Where the texts of a record are in its block, as they are written. `lastmodFrom` is -1 when it has no lastmod. */
export interface RecordFields {
  readonly locFrom: number;
  readonly locTo: number;
  readonly lastmodFrom: number;
  readonly lastmodTo: number;
}

/**
 * The layouts of the records that were read last. Programs write sitemaps, so nearly every record repeats the markup of
 * one before it byte for byte. Such a record needs no tokenizing and no string: three comparisons of bytes find its fields.
 *
 * Only records that the tokenizer has read without any problem become a layout, so a record that fits one means the same.
 */
export class RecordLayouts implements RecordFields {
  #layouts: Layout[] = [];
  #last = 0;
  #learned = 0;
  #hits = 0;

  /** Of the record that `match` found. */
  locFrom = 0;
  locTo = 0;
  lastmodFrom = -1;
  lastmodTo = -1;
  end = 0;
  kind: 'url' | 'sitemap' = 'url';
  name = 0;

  /** The record that the tokenizer reads now begins here; -1 for none that could become a layout. */
  #draftAt = -1;
  #draftLoc = -1;
  #draftLocTo = -1;
  #draftLastmod = -1;
  #draftLastmodTo = -1;

  /** Whether a record with a known layout begins at `lt` and ends in this block. */
  match(block: Block, lt: number): boolean {
    const layouts = this.#layouts;
    for (let tried = 0, at = this.#last; tried < layouts.length; tried += 1, at = (at + 1) % layouts.length) {
      const layout = layouts[at];
      if (layout !== undefined && this.#fits(layout, block, lt)) {
        this.#last = at;
        this.#hits += 1;
        return true;
      }
    }
    return false;
  }

  #fits({ head, middle, tail, kind, name }: Layout, block: Block, lt: number): boolean {
    if (!head.isAt(block, lt)) return false;
    const locFrom = lt + head.length;
    const locTo = findMarkup(block, locFrom);
    let at = locTo;
    let lastmodFrom = -1;
    if (middle !== null) {
      if (!middle.isAt(block, at)) return false;
      lastmodFrom = at + middle.length;
      at = findMarkup(block, lastmodFrom);
    }
    if (!tail.isAt(block, at)) return false;
    this.locFrom = locFrom;
    this.locTo = locTo;
    this.lastmodFrom = lastmodFrom;
    this.lastmodTo = at;
    this.end = at + tail.length;
    this.kind = kind;
    this.name = name;
    return true;
  }

  begin(lt: number): void {
    this.#draftAt = this.#isUseful ? lt : -1;
    this.#draftLoc = -1;
    this.#draftLastmod = -1;
  }

  /** The record is damaged, is not whole in this block, or has something that its bytes alone do not decide. */
  abandon(): void {
    this.#draftAt = -1;
  }

  field(field: 'loc' | 'lastmod', from: number, to: number): void {
    if (field === 'loc') {
      // Text in several pieces, or a loc behind the lastmod: the tokenizer reads those.
      if (this.#draftLoc !== -1 || this.#draftLastmod !== -1) this.#draftAt = -1;
      this.#draftLoc = from;
      this.#draftLocTo = to;
    } else {
      if (this.#draftLoc === -1 || this.#draftLastmod !== -1) this.#draftAt = -1;
      this.#draftLastmod = from;
      this.#draftLastmodTo = to;
    }
  }

  /** The record was read whole and without a problem: keeps its layout. */
  learn(block: Block, end: number, kind: 'url' | 'sitemap', name: number): void {
    const lt = this.#draftAt;
    this.#draftAt = -1;
    if (lt === -1 || this.#draftLoc === -1 || end - lt > MAX_LENGTH) return;
    const hasLastmod = this.#draftLastmod !== -1;
    this.#layouts[this.#learned % MAX_LAYOUTS] = {
      head: new Piece(block, lt, this.#draftLoc),
      middle: hasLastmod ? new Piece(block, this.#draftLocTo, this.#draftLastmod) : null,
      tail: new Piece(block, hasLastmod ? this.#draftLastmodTo : this.#draftLocTo, end),
      kind,
      name,
    };
    this.#learned += 1;
  }

  /** What the markup means has changed: another root element. */
  forget(): void {
    this.#layouts = [];
    this.#last = 0;
    this.#draftAt = -1;
  }

  /** Records that are all different, such as those with images, would be compared and kept for nothing. */
  get #isUseful(): boolean {
    if (this.#learned < TRIAL || this.#hits >= this.#learned) return true;
    if (this.#layouts.length > 0) this.forget();
    return false;
  }
}
