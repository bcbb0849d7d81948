import { randomBytes } from 'node:crypto';

const FORM = /^sub_[0-9a-hjkmnp-tv-z]{26}$/;
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A new reference: sortable by time (48 bits of milliseconds), then 80 random bits; a ULID in lower case. */
export function newReference(now: number): string {
  let bits = (BigInt(now) << 80n) | BigInt(`0x${randomBytes(10).toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < 26; digit++, bits >>= 5n) text = DIGITS[Number(bits & 31n)] + text;
  return `sub_${text}`;
}

/** Whether a text can be a reference of ours; what cannot is not asked of the database. */
export const isReference = (text: string): boolean => FORM.test(text);
