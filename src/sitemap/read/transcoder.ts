import { isAscii } from 'node:buffer';
import { ENCODING_HEAD, type EncodingClaim, readEncodingClaim } from './encoding.ts';

/** Bytes from the first one beyond ASCII that decide between UTF-8 and another claimed encoding. */
const SAMPLE = 256 * 1024;
const NOTHING = Buffer.alloc(0);
const ESCAPE = 0x1b;

/**
 * Turns the bytes of a document into UTF-8, in chunks of any size. The document alone decides whether it is UTF-8: a
 * server that adds `charset=iso-8859-1` to every answer does not change a URL, and neither does the size of a read.
 *
 * Only when the document or the server claims another encoding are bytes held back: the first SAMPLE bytes from the first
 * byte beyond ASCII. They are UTF-8 if most of their sequences are valid UTF-8. The text before is ASCII in either case.
 */
export class Transcoder {
  readonly #contentType: string | undefined;
  readonly #onMisnamed: (declared: string) => void;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** What follows next: the claims, then bytes that are still ASCII, then the sample, then the rest. */
  #step: (last: boolean) => Buffer = (last) => this.#readClaim(last);
  #decode: ((bytes: Buffer, last: boolean) => Buffer) | undefined;

  /** @param onMisnamed called when the XML declaration names another encoding than that of the document */
  constructor(contentType: string | undefined, onMisnamed: (declared: string) => void) {
    this.#contentType = contentType;
    this.#onMisnamed = onMisnamed;
  }

  /** Returns the UTF-8 of the bytes that are decided. `last` with or after the last bytes. */
  write(bytes: Buffer, last: boolean): Buffer {
    if (this.#decode !== undefined) return this.#decode(bytes, last);
    // A copy: the caller gives the memory of a chunk back as soon as this returns.
    if (bytes.length > 0) this.#hold(Buffer.from(bytes));
    return this.#step(last);
  }

  #readClaim(last: boolean): Buffer {
    if (this.#heldBytes < ENCODING_HEAD && !last) return NOTHING;
    const bytes = this.#takeHeld();
    this.#hold(bytes);
    const claim = readEncodingClaim(bytes, this.#contentType);
    if (claim.misnamed !== undefined) this.#onMisnamed(claim.misnamed);
    if (claim.certain !== undefined) return this.#begin(claim.certain.label, claim.certain.markBytes, last);
    const other = pickOther(claim);
    if (other === undefined) return this.#begin('utf-8', 0, last);
    this.#step = (isLast) => this.#passAscii(claim, other, isLast);
    return this.#step(last);
  }

  #passAscii(claim: EncodingClaim, other: string, last: boolean): Buffer {
    const bytes = this.#takeHeld();
    const start = findBeyondAscii(bytes, other);
    if (start === -1) return bytes;
    this.#hold(bytes.subarray(start));
    this.#step = (isLast) => this.#readSample(claim, other, isLast);
    return Buffer.concat([bytes.subarray(0, start), this.#step(last)]);
  }

  #readSample({ declared }: EncodingClaim, other: string, last: boolean): Buffer {
    if (this.#heldBytes < SAMPLE && !last) return NOTHING;
    const bytes = this.#takeHeld();
    this.#hold(bytes);
    const isUtf8 = isUtf8Likely(bytes.subarray(0, SAMPLE), declared);
    if (isUtf8 && declared !== undefined && declared !== 'utf-8') this.#onMisnamed(declared);
    return this.#begin(isUtf8 ? 'utf-8' : other, 0, last);
  }

  #begin(label: string, skip: number, last: boolean): Buffer {
    this.#decode = makeDecoder(label);
    return this.#decode(this.#takeHeld().subarray(skip), last);
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #takeHeld(): Buffer {
    const [first = NOTHING, ...more] = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    return more.length === 0 ? first : Buffer.concat([first, ...more]);
  }
}

/** The claimed encoding that is not UTF-8: the document's own before the server's. */
function pickOther({ declared, sent }: EncodingClaim): string | undefined {
  if (declared !== undefined && declared !== 'utf-8') return declared;
  return sent === 'utf-8' ? undefined : sent;
}

/** ISO-2022-JP is the one encoding here that writes other characters with ASCII bytes, after an escape. */
function findBeyondAscii(bytes: Buffer, label: string): number {
  const escapeAt = label === 'iso-2022-jp' ? bytes.indexOf(ESCAPE) : -1;
  const highAt = isAscii(bytes) ? -1 : bytes.findIndex((byte) => byte >= 0x80);
  return escapeAt === -1 || highAt === -1 ? Math.max(escapeAt, highAt) : Math.min(escapeAt, highAt);
}

/** Encodings whose pairs of bytes are now and then valid UTF-8 by chance. */
const PAIRED = /^(gbk|gb18030|big5|euc-kr|euc-jp|shift_jis)$/;

/**
 * Whether a sample is UTF-8 that goes beyond ASCII. A document that declares an encoding of byte pairs needs more
 * evidence: a sequence of three bytes or more, which is how UTF-8 writes Chinese, Japanese and Korean.
 */
function isUtf8Likely(sample: Buffer, declared: string | undefined): boolean {
  const { valid, long, invalid } = countUtf8(sample);
  if (declared !== undefined && PAIRED.test(declared) && long === 0) return false;
  return valid > invalid;
}

/** Counts sequences beyond ASCII that are valid UTF-8 and bytes that are not. A sequence that the end cuts is neither. */
function countUtf8(sample: Buffer): { valid: number; long: number; invalid: number } {
  let valid = 0;
  let long = 0;
  let invalid = 0;
  for (let at = 0; at < sample.length; ) {
    const byte = sample[at] ?? 0;
    const size = byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
    if (size === 1) {
      at += 1;
      continue;
    }
    let length = 1;
    while (length < size && ((sample[at + length] ?? 0) & 0xc0) === 0x80) length += 1;
    if (size > 0 && length === size) {
      valid += 1;
      if (size > 2) long += 1;
      at += size;
    } else {
      if (size === 0 || at + length < sample.length) invalid += 1;
      at += 1;
    }
  }
  return { valid, long, invalid };
}

function makeDecoder(label: string): (bytes: Buffer, last: boolean) => Buffer {
  if (label === 'utf-8') return (bytes) => bytes;
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  return (bytes, last) => Buffer.from(decoder.decode(bytes, { stream: !last }));
}
