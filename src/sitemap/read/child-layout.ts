import type { Block } from './block.ts';
import { findMarkup, findQuote, findSectionEnd, Piece } from './piece.ts';

const MAX_LENGTH = 4_000;
/** A tag whose values are in double quotes and hold no markup, a CDATA section, or text. */
const TOKEN = /<\/[^\s<>"']+\s*>|<[^\s<>"'/=!?]+(?:\s+[^\s<>"'/=]+="[^"<>]*")*\s*\/?>|<!\[CDATA\[[^\]]*\]\]>|[^<>]+/y;
const VALUE = /="([^"]*)"/g;
const FIELD = /^<([^\s<>/]*:)?(loc|lastmod)[\s/>]/i;
const CDATA = '<![CDATA[';

/** What a hole is filled with: text up to the next `<`, a value up to its quote, a section up to its end. */
type Hole = 'text' | 'value' | 'section';

/**
 * The markup of a child of a record that names no page, such as an image, with holes where each record has texts of its own. What
 * fits it has the same elements, so its tags need not be read again.
 */
export class ChildLayout {
  readonly #pieces: readonly Piece[];
  /** Behind each piece but the last. */
  readonly #holes: readonly Hole[];

  constructor(pieces: readonly Piece[], holes: readonly Hole[]) {
    this.#pieces = pieces;
    this.#holes = holes;
  }

  /** The index behind the child at `from`; -1 when what is there does not fit, or is not whole in this block. */
  findEnd(block: Block, from: number): number {
    let at = from;
    for (let n = 0; ; n += 1) {
      const piece = this.#pieces[n];
      if (piece === undefined || !piece.isAt(block, at)) return -1;
      at += piece.length;
      const hole = this.#holes[n];
      if (hole === undefined) return at;
      at = findHoleEnd(hole, block, at);
      if (at === -1) return -1;
    }
  }
}

function findHoleEnd(hole: Hole, block: Block, from: number): number {
  if (hole === 'text') return findMarkup(block, from);
  return hole === 'value' ? findQuote(block, from) : findSectionEnd(block, from);
}

/** Learns the layout of a child that was read without any problem; null for one whose bytes alone do not decide what it means. */
export function learnChild(block: Block, from: number, to: number): ChildLayout | null {
  if (to - from > MAX_LENGTH) return null;
  const text = block.text.slice(from, to);
  if (FIELD.test(text)) return null;
  const pieces: Piece[] = [];
  const holes: Hole[] = [];
  let pieceFrom = 0;
  const addHole = (hole: Hole, begin: number, end: number): void => {
    pieces.push(new Piece(block, from + pieceFrom, from + begin));
    holes.push(hole);
    pieceFrom = end;
  };
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) return null;
    if (token.startsWith(CDATA)) addHole('section', at + CDATA.length, at + token.length - 3);
    else if (!token.startsWith('<')) addHole('text', at, at + token.length);
    else
      for (const { index, 1: value = '' } of token.matchAll(VALUE))
        addHole('value', at + index + 2, at + index + 2 + value.length);
  }
  pieces.push(new Piece(block, from + pieceFrom, to));
  return new ChildLayout(pieces, holes);
}
