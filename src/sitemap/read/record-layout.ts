import type { Block } from './block.ts';
import { type ChildLayout, learnChild } from './child-layout.ts';
import { findMarkup, Piece } from './piece.ts';

/** Layouts that are kept: generators leave fields out, and write a few different priorities. */
const MAX_LAYOUTS = 4;
const MAX_LENGTH = 2_000;
/** Of images, links and other children: a record may have several of each. */
const MAX_CHILDREN = 8;
/** Layouts that are learned before their use is judged. */
const TRIAL = 100;

/** The markup around the fields of a record. */
interface Layout {
  /** From the `<` of the record to the text of its loc. */
  readonly head: Piece;
  /** From the end of that text to the text of its lastmod; null when it has none. */
  readonly middle: Piece | null;
  /** From the end of the last text to the end of the record, or of the field where children of any number follow. */
  readonly tail: Piece;
  /** The end of the record behind the children; null when the tail has it. */
  readonly end: Piece | null;
  readonly kind: 'url' | 'sitemap';
  readonly name: number;
}

/** Where the texts of a record are in its block, as they are written. `lastmodFrom` is -1 when it has no lastmod. */
export interface RecordFields {
  readonly locFrom: number;
  readonly locTo: number;
  readonly lastmodFrom: number;
  readonly lastmodTo: number;
  /** Where the record ends. */
  readonly end: number;
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
  /** Whole records are never the same: their children are compared one by one. */
  #hasChildren = false;
  #children: ChildLayout[] = [];
  #nextChild = 0;
  #learnedChildren = 0;

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
  /** Of its children behind the last field: where each begins and ends. */
  #draftChildren: number[] = [];
  #draftTailTo = -1;

  get isEmpty(): boolean {
    return this.#layouts.length === 0;
  }

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

  #fits({ head, middle, tail, end, kind, name }: Layout, block: Block, lt: number): boolean {
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
    const tailTo = at + tail.length;
    const endTo = end === null ? tailTo : this.#findEnd(end, block, tailTo);
    if (endTo === -1) return false;
    this.locFrom = locFrom;
    this.locTo = locTo;
    this.lastmodFrom = lastmodFrom;
    this.lastmodTo = at;
    this.end = endTo;
    this.kind = kind;
    this.name = name;
    return true;
  }

  /** The end of a record whose children begin behind `from`; -1 when one of them is not known. */
  #findEnd(end: Piece, block: Block, from: number): number {
    const children = this.#children;
    let at = findMarkup(block, from);
    while (!end.isAt(block, at)) {
      let childTo = -1;
      for (let tried = 0; tried < children.length && childTo === -1; tried += 1) {
        childTo = children[this.#nextChild]?.findEnd(block, at) ?? -1;
        // The next is mostly of the same kind, so the kind is changed only when it does not fit.
        if (childTo === -1) this.#nextChild = (this.#nextChild + 1) % children.length;
      }
      if (childTo === -1) return -1;
      at = findMarkup(block, childTo);
    }
    return at + end.length;
  }

  begin(lt: number): void {
    this.#draftAt = this.#isUseful ? lt : -1;
    this.#draftLoc = -1;
    this.#draftLastmod = -1;
    this.#draftTailTo = -1;
    this.#draftChildren.length = 0;
  }

  /** A child of the record begins. */
  beginChild(lt: number): void {
    if (this.#hasChildren && this.#draftAt !== -1) this.#draftChildren.push(lt);
  }

  endChild(end: number): void {
    if (this.#hasChildren && this.#draftAt !== -1) this.#draftChildren.push(end);
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
  learn(block: Block, endLt: number, end: number, kind: 'url' | 'sitemap', name: number): void {
    const lt = this.#draftAt;
    this.#draftAt = -1;
    if (lt === -1 || this.#draftLoc === -1 || (end - lt > MAX_LENGTH && !this.#hasChildren)) return;
    const hasLastmod = this.#draftLastmod !== -1;
    const lastTo = hasLastmod ? this.#draftLastmodTo : this.#draftLocTo;
    if (this.#hasChildren && !this.#learnChildren(block, lastTo)) return;
    this.#layouts[this.#learned % MAX_LAYOUTS] = {
      head: new Piece(block, lt, this.#draftLoc),
      middle: hasLastmod ? new Piece(block, this.#draftLocTo, this.#draftLastmod) : null,
      tail: new Piece(block, lastTo, this.#hasChildren ? this.#draftTailTo : end),
      end: this.#hasChildren ? new Piece(block, endLt, end) : null,
      kind,
      name,
    };
    this.#learned += 1;
  }

  /** Learns the children behind the field that ends behind `lastTo`. Returns false when one cannot be learned. */
  #learnChildren(block: Block, lastTo: number): boolean {
    const spans = this.#draftChildren;
    for (let n = 0; n + 1 < spans.length; n += 2) {
      const [from = 0, to = 0] = [spans[n], spans[n + 1]];
      if (to <= lastTo) continue;
      // The first that ends behind the text is the field itself.
      if (from < lastTo) {
        this.#draftTailTo = to;
        continue;
      }
      if (this.#children.some((child) => child.findEnd(block, from) === to)) continue;
      const child = learnChild(block, from, to);
      if (child === null) return false;
      this.#children[this.#learnedChildren % MAX_CHILDREN] = child;
      this.#learnedChildren += 1;
    }
    return this.#draftTailTo !== -1;
  }

  /** What the markup means has changed: another root element. */
  forget(): void {
    this.#layouts = [];
    this.#children = [];
    this.#nextChild = 0;
    this.#last = 0;
    this.#draftAt = -1;
  }

  /** Records that are all different would be compared and kept for nothing: first as a whole, then by their children. */
  get #isUseful(): boolean {
    if (this.#learned < TRIAL || this.#hits >= this.#learned) return true;
    if (this.#layouts.length > 0) this.forget();
    if (this.#hasChildren) return false;
    this.#hasChildren = true;
    this.#learned = 0;
    this.#hits = 0;
    return true;
  }
}
