import { type Micros, timesMicros } from '../../../contract/money.ts';
import type { ListedJob } from './audit.ts';

/**
 * What a listed job cost; null: the service does not show it. As when the ledger reads an answer, an amount that is the price of
 * one URL of a purchase of several is that price under another name.
 */
export function readShownCharge(
  { charged, pricePerUrl, urlCount }: ListedJob,
  known: { readonly urls: number; readonly amount: Micros } | null,
): Micros | null {
  const urls = urlCount ?? known?.urls ?? null;
  if (charged === null) return pricePerUrl === null || urls === null ? null : timesMicros(pricePerUrl, urls);
  const isPriceOfOne = known !== null && known.urls > 1 && timesMicros(charged, known.urls) === known.amount;
  return isPriceOfOne ? known.amount : charged;
}
