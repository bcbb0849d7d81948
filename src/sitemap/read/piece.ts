import { CHAR } from '../../url/characters.ts';
import type { Block } from './block.ts';

const WORD = 4;
/** The same byte four times. */
const MARKUP = CHAR.lt * 0x01010101;
const QUOTE = CHAR.quote * 0x01010101;
const BRACKET = CHAR.closingBracket * 0x01010101;
/** Makes `>` of `<`, and of no other byte. */
const TO_GT = 0x02020202;
const GT = CHAR.gt * 0x01010101;

/** Bytes that are looked for in blocks. Compared four at a time: reading a word costs as much as reading a byte. */
export class Piece {
  readonly length: number;
  readonly #words: Int32Array;
  /** The bytes behind the last whole word. */
  readonly #rest: Uint8Array;

  /** Keeps a copy of the bytes from `from` to `to`: those of a block are overwritten by the next one. */
  constructor({ view, bytes }: Block, from: number, to: number) {
    this.length = to - from;
    this.#words = new Int32Array(Math.floor(this.length / WORD));
    for (let at = 0; at < this.#words.length; at += 1) this.#words[at] = view.getInt32(from + at * WORD, true);
    this.#rest = new Uint8Array(bytes.subarray(from + this.#words.length * WORD, to));
  }

  /** Whether the block has these bytes at `from`. */
  isAt({ view, bytes }: Block, from: number): boolean {
    if (from + this.length > bytes.length) return false;
    const words = this.#words;
    let at = from;
    for (let word = 0; word < words.length; word += 1, at += WORD) {
      if (view.getInt32(at, true) !== words[word]) return false;
    }
    const rest = this.#rest;
    for (let next = 0; next < rest.length; next += 1) {
      if (bytes[at + next] !== rest[next]) return false;
    }
    return true;
  }
}

/** The index of the next `<`, or the length of the block. */
export function findMarkup({ view, bytes }: Block, from: number): number {
  const { length } = bytes;
  let at = from;
  while (at + WORD <= length && !hasZero(view.getInt32(at, true) ^ MARKUP)) at += WORD;
  while (at < length && bytes[at] !== CHAR.lt) at += 1;
  return at;
}

/** The index of the next `"`; -1 where `<` or `>` stands before it, or none follows in the block. */
export function findQuote({ view, bytes }: Block, from: number): number {
  const { length } = bytes;
  let at = from;
  for (; at + WORD <= length; at += WORD) {
    const word = view.getInt32(at, true);
    if (hasZero(word ^ QUOTE) || hasZero((word | TO_GT) ^ GT)) break;
  }
  for (; at < length; at += 1) {
    const code = bytes[at] ?? 0;
    if (code === CHAR.quote) return at;
    if (code === CHAR.lt || code === CHAR.gt) return -1;
  }
  return -1;
}

/** The index of the next `]]>`; -1 where none follows in the block. */
export function findSectionEnd({ view, bytes }: Block, from: number): number {
  const last = bytes.length - 3;
  let at = from;
  while (at <= last) {
    while (at + WORD <= last && !hasZero(view.getInt32(at, true) ^ BRACKET)) at += WORD;
    while (at < last && bytes[at] !== CHAR.closingBracket) at += 1;
    if (bytes[at] === CHAR.closingBracket && bytes[at + 1] === CHAR.closingBracket && bytes[at + 2] === CHAR.gt)
      return at;
    at += 1;
  }
  return -1;
}

/** Whether a byte of a word is 0: only a 0 borrows from the highest bit of its own byte or of the next. */
const hasZero = (word: number): boolean => ((word - 0x01010101) & ~word & 0x80808080) !== 0;
