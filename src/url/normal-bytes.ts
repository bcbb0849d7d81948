import { LIMITS } from '../../contract/limits.ts';
import { isNormal } from './normalize-url.ts';

const SLASH = 0x2f;
const DOT = 0x2e;
const PERCENT = 0x25;
const TWO = 0x32;
const LOWER_E = 0x65;
const TO_LOWER = 0x20;
/** `https://` of an origin that was examined is so long at least. */
const SCHEME_BYTES = 8;

/** 1 for a character that stays as it is behind the host of a URL and that XML does not escape. */
const SAFE = new Uint8Array(256);
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$()*+,;=:@/?%')) {
  SAFE[byte] = 1;
}

/** The origin of the last URL that was in its normal form. */
let origin: Uint8Array = new Uint8Array();

/**
 * Whether bytes of an XML document are certainly a URL in its normal form (`isNormal`), with nothing to decode or to trim.
 * Costs no string, except for an origin other than the last one.
 */
export function isNormalBytes(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > LIMITS.urlLength) return false;
  let at = startsWithOrigin(bytes, from, to) ? from + origin.length : findOrigin(bytes, from, to);
  if (at < 0) return false;
  let isAfterSlash = false;
  for (; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (SAFE[byte] === 0) return false;
    if (byte === DOT && isAfterSlash) return false;
    if (byte === PERCENT && isEncodedDot(bytes, at + 1, to)) return false;
    isAfterSlash = byte === SLASH;
  }
  return true;
}

function startsWithOrigin(bytes: Uint8Array, from: number, to: number): boolean {
  const { length } = origin;
  if (length === 0 || from + length >= to || bytes[from + length] !== SLASH) return false;
  for (let at = 0; at < length; at += 1) {
    if (bytes[from + at] !== origin[at]) return false;
  }
  return true;
}

/** Reads the origin of a URL and remembers it. Returns the index of the slash behind it; -1 for none that is normal. */
function findOrigin(bytes: Uint8Array, from: number, to: number): number {
  const slash = bytes.subarray(0, to).indexOf(SLASH, from + SCHEME_BYTES);
  if (slash === -1) return -1;
  const head = Buffer.from(bytes.subarray(from, slash));
  // With a path that changes nothing: only the origin is in question.
  if (!isNormal(`${head.toString('latin1')}/`)) return -1;
  origin = head;
  return slash;
}

const isEncodedDot = (bytes: Uint8Array, at: number, to: number): boolean =>
  at + 1 < to && bytes[at] === TWO && ((bytes[at + 1] ?? 0) | TO_LOWER) === LOWER_E;
