import { type Query, raw, sql } from '../../database/sql.ts';
import type { Url } from '../../url/normalize-url.ts';
import { toUrlKey } from '../pages/fingerprint.ts';
import { listSpellings } from '../pages/spellings.ts';
import { type ForgottenUrl, isForgottenUrl, toForgottenKey, toForgottenUrl } from './forgotten-url.ts';

/** How a page may stand in the ledger: its address in each spelling, then the digests of these; the likeliest first. */
export function listStoredForms(url: Url | ForgottenUrl): readonly (Url | ForgottenUrl)[] {
  if (isForgottenUrl(url)) return [url];
  const spellings = listSpellings(url);
  return [...spellings, ...spellings.map(toForgottenUrl)];
}

/** The key by which a stored form is indexed. */
export const toStoredKey = (form: Url | ForgottenUrl, seed: number): bigint =>
  isForgottenUrl(form) ? toForgottenKey(form) : toUrlKey(form, seed);

/** Whether a row of `urls` is this page, forgotten or not. Uses urls_by_fp. */
export function isPage(url: Url, seed: number, alias: Query = raw('')): Query {
  const forgotten = toForgottenUrl(url);
  return sql`${alias}fp IN (${toUrlKey(url, seed)}, ${toForgottenKey(forgotten)}) AND ${alias}url IN (${url}, ${forgotten})`;
}
