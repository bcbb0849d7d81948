import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const KEY_BYTES = 32;

/** A password of 120 random bits, in groups that are easy to read aloud. */
export function newPassword(): string {
  return randomBytes(15)
    .toString('hex')
    .replaceAll(/.{6}(?=.)/g, '$&-');
}

/** What is stored of a password: scrypt with a salt of its own (about 40 ms of one core). */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const derived = await derive(password.normalize('NFKC'), salt, KEY_BYTES);
  return `scrypt$${salt.toString('hex')}$${derived.toString('hex')}`;
}

/** Compares a password with its stored hash, in the same time when nothing is stored. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, salt = '', expected = ''] = (stored ?? '').split('$');
  const derived = await derive(password.normalize('NFKC'), Buffer.from(salt, 'hex'), KEY_BYTES);
  const wanted = Buffer.from(expected, 'hex');
  return wanted.length === KEY_BYTES && timingSafeEqual(derived, wanted);
}
