import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key: `usk_`, 256 random bits in base 62 (43 characters), and the CRC-32 of all before it in base 62
 * (6 characters). The prefix and the checksum let a scanner find a leaked key without asking the service, and the
 * service refuse a typing error without asking the database.
 */
const FORM = /^usk_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** How much of a key is shown afterwards, to tell keys apart: 42 of 256 bits. */
const SHOWN = 11;

export function newKey(random: (size: number) => Buffer = randomBytes): string {
  const body = `usk_${base62(BigInt(`0x${random(32).toString('hex')}`), 43)}`;
  return body + checksum(body);
}

export function isKeyShaped(text: string): boolean {
  return FORM.test(text) && text.slice(-6) === checksum(text.slice(0, -6));
}

export const shownPart = (key: string): string => key.slice(0, SHOWN);

/**
 * What is stored of a key. Plain SHA-256 is the right hash here: with 256 random bits there is nothing to guess, and a
 * slow hash would only slow every request.
 */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), 6);

function base62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text.padStart(width, '0');
}
