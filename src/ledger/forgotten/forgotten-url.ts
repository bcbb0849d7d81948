import { hash } from 'node:crypto';
import type { Url } from '../../url/normalize-url.ts';

/**
 * What the ledger keeps in place of the address of a forgotten page: `forgotten:` and the SHA-256 of the normalized URL in
 * hexadecimal digits. It is never a URL, so no request can contain it. It does not depend on the ledger, so an export
 * carries it to another one.
 */
export type ForgottenUrl = string & { readonly __brand: 'ForgottenUrl' };

const PREFIX = 'forgotten:';
const FORGOTTEN = /^forgotten:[0-9a-f]{64}$/;

export const toForgottenUrl = (url: Url): ForgottenUrl => `${PREFIX}${hash('sha256', url)}` as ForgottenUrl;

export const isForgottenUrl = (text: string): text is ForgottenUrl => FORGOTTEN.test(text);

/** The first 64 bits of the digest: forgotten pages are indexed by them in place of the ledger's own fingerprint. */
export const toForgottenKey = (forgotten: ForgottenUrl): bigint =>
  BigInt.asIntN(64, BigInt(`0x${forgotten.slice(PREFIX.length, PREFIX.length + 16)}`));

/** The digest alone, in hexadecimal digits. */
export const toDigest = (forgotten: ForgottenUrl): string => forgotten.slice(PREFIX.length);

/** Null for a text that is not a digest. */
export function fromDigest(digest: string): ForgottenUrl | null {
  const text = `${PREFIX}${digest}`;
  return isForgottenUrl(text) ? text : null;
}
