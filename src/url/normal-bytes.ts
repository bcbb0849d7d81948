import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../../contract/limits.ts';
import { CHAR } from './characters.ts';
import { isNormal } from './normalize-url.ts';

/** `http://` and the first byte of a host: no slash of a path comes before. */
const SCHEME_BYTES = 8;
const TO_LOWER = 0x20;
const FIRST_BEYOND_ASCII = 0x80;
/** The first byte of U+FFFD, which stands for bytes that are no character. */
const LEADS_REPLACEMENT = 0xef;
/** The first bytes of characters of two bytes, from U+00C0 on: none of them is white space. */
const LETTERS_FROM = 0xc3;
const LETTERS_TO = 0xdf;
/** A character of UTF-8 has at most this many bytes. */
const CHARACTER_BYTES = 4;
const EMPTY = new Uint8Array();
const AMP = Buffer.from('&amp;');
const HEX = Buffer.from('0123456789ABCDEF');

/** What a byte behind the host of a URL needs. */
const PLAIN = 0;
/** Stays as it is, unless it makes a dot segment. */
const DOT = 1;
const SPECIAL = 2;
const CLASS = new Uint8Array(256).fill(SPECIAL);
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~!$()*+,;=:@/?')) {
  CLASS[byte] = PLAIN;
}
CLASS[CHAR.dot] = DOT;
CLASS[CHAR.percent] = DOT;

/** A URL in its normal form: the ASCII bytes from `from` to `to`. */
export interface UrlBytes {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/**
 * Makes the normal form (`normalizeUrl`) of URLs from bytes of an XML document, without a string. It does so for nearly all
 * URLs that sites write: those in their normal form, also with `&amp;` and with letters beyond ASCII. It decides no other,
 * and never says that one is no URL.
 */
export class NormalBytes implements UrlBytes {
  /** The normal form of the last URL, in ASCII, from `from` to `to`: in the document, or in memory of its own. */
  bytes: Uint8Array = EMPTY;
  from = 0;
  to = 0;
  /** Whether the URL had letters beyond ASCII, which its normal form encodes. */
  hasLetters = false;

  /** The origin of the last URL that had one in its normal form. */
  #origin: Uint8Array = EMPTY;
  readonly #own = new Uint8Array(LIMITS.urlLength * 3 + 1);

  /** Reads the text from `from` to `to`. Returns false when it leaves the decision to `normalizeUrl`. */
  read(bytes: Uint8Array, from: number, to: number): boolean {
    if (to - from > LIMITS.urlLength) return false;
    this.hasLetters = false;
    let at = this.#startsWithOrigin(bytes, from, to) ? from + this.#origin.length : this.#findOrigin(bytes, from, to);
    if (at < 0) return false;
    for (; at < to; at += 1) {
      const kind = CLASS[bytes[at] ?? 0];
      if (kind === PLAIN) continue;
      if (kind === SPECIAL) return this.#copy(bytes, from, at, to);
      if (isDotSegment(bytes, at, to)) return false;
    }
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    return true;
  }

  /** The same for a text with something to decode or to encode, which is at `special` at first. */
  #copy(bytes: Uint8Array, from: number, special: number, to: number): boolean {
    const own = this.#own;
    let length = 0;
    for (let at = from; at < special; at += 1) own[length++] = bytes[at] ?? 0;
    /** A character of three bytes or more, or a byte that is no character. */
    let hasOther = false;
    for (let at = special; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      const kind = CLASS[byte];
      if (kind !== SPECIAL) {
        if (kind === DOT && isDotSegment(bytes, at, to)) return false;
        own[length++] = byte;
      } else if (byte >= FIRST_BEYOND_ASCII) {
        if (byte === LEADS_REPLACEMENT) return false;
        this.hasLetters = true;
        length = encode(own, length, byte);
        const next = at + 1 < to ? (bytes[at + 1] ?? 0) : 0;
        if (byte >= LETTERS_FROM && byte <= LETTERS_TO && isContinuation(next)) {
          length = encode(own, length, next);
          at += 1;
        } else hasOther = true;
      } else if (byte === CHAR.ampersand && startsWith(bytes, AMP, at, to)) {
        own[length++] = byte;
        at += AMP.length - 1;
      } else return false;
    }
    if (length > LIMITS.urlLength || (hasOther && !isText(bytes, special, to))) return false;
    this.bytes = own;
    this.from = 0;
    this.to = length;
    return true;
  }

  #startsWithOrigin(bytes: Uint8Array, from: number, to: number): boolean {
    const { length } = this.#origin;
    return length > 0 && bytes[from + length] === CHAR.slash && startsWith(bytes, this.#origin, from, to - 1);
  }

  /** Reads the origin of a URL and remembers it. Returns the index of the slash behind it; -1 for none that is normal. */
  #findOrigin(bytes: Uint8Array, from: number, to: number): number {
    const slash = bytes.subarray(0, to).indexOf(CHAR.slash, from + SCHEME_BYTES);
    if (slash === -1) return -1;
    const head = Buffer.from(bytes.subarray(from, slash));
    // With a path that changes nothing: only the origin is in question.
    if (!isNormal(`${head.toString('latin1')}/`)) return -1;
    this.#origin = head;
    return slash;
  }
}

function startsWith(bytes: Uint8Array, piece: Uint8Array, from: number, to: number): boolean {
  const { length } = piece;
  if (from + length > to) return false;
  for (let at = 0; at < length; at += 1) {
    if (bytes[from + at] !== piece[at]) return false;
  }
  return true;
}

/** Percent-encodes a byte. Returns the length with it. */
function encode(own: Uint8Array, length: number, byte: number): number {
  own[length] = CHAR.percent;
  own[length + 1] = HEX[byte >> 4] ?? 0;
  own[length + 2] = HEX[byte & 15] ?? 0;
  return length + 3;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Whether a dot follows a slash, or a percent sign encodes a dot: such a path may have segments to remove. */
function isDotSegment(bytes: Uint8Array, at: number, to: number): boolean {
  if (bytes[at] === CHAR.dot) return bytes[at - 1] === CHAR.slash;
  return at + 2 < to && bytes[at + 1] === CHAR.two && ((bytes[at + 2] ?? 0) | TO_LOWER) === CHAR.lowerE;
}

/** Whether bytes are characters of UTF-8, the last of which is no white space: that would be trimmed. */
function isText(bytes: Uint8Array, from: number, to: number): boolean {
  if (!isUtf8(bytes.subarray(from, to))) return false;
  if ((bytes[to - 1] ?? 0) < FIRST_BEYOND_ASCII) return true;
  const tail = Buffer.from(bytes.subarray(Math.max(from, to - CHARACTER_BYTES), to)).toString();
  return tail.trimEnd() === tail;
}
