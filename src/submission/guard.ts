import { formatCount } from './count.ts';
/** When a change is implausibly large; null disables a rule. Percentages refer to the URLs known before. */
export interface GuardPolicy {
  readonly maxNew: number | null;
  readonly maxNewPercent: number | null;
  readonly maxChanged: number | null;
  readonly maxChangedPercent: number | null;
  readonly maxGonePercent: number | null;
}

/** Defaults that hold changed URLs: a deployment that touches every lastmod buys nothing. */
export const DEFAULT_MAX_CHANGED = 1_000;
export const DEFAULT_MAX_CHANGED_PERCENT = 50;

/** Fewer changed URLs than this never trip the percentage: on a small site, half of the pages changing is normal. */
const FEWEST_CHANGED = 20;

/** The rule that a run breaks, with its numbers. */
export type GuardReason =
  | { readonly code: 'max_new' | 'max_changed'; readonly urls: number; readonly limit: number }
  | {
      readonly code: 'max_new_percent' | 'max_changed_percent' | 'max_gone_percent';
      readonly urls: number;
      readonly known: number;
      readonly limit: number;
    };

export interface Change {
  readonly newUrls: number;
  /** URLs with a changed lastmod that the run would buy. */
  readonly changed: number;
  readonly gone: number;
  /** URLs that the ledger knew as present before this run; null: it is the first run of its watch. */
  readonly knownBefore: number | null;
}

/**
 * Why a run should wait for approval: a relaunch, a broken CMS and a hijacked sitemap all look like thousands of new,
 * changed or missing URLs. Empty when the change is plausible. Percentages do not apply to a first run. Where none were known before another
 * one, as after a first run that was rejected, any new URL is beyond them.
 */
export function guardTrips({ newUrls, changed, gone, knownBefore }: Change, guard: GuardPolicy): GuardReason[] {
  const trips: GuardReason[] = [];
  const known = knownBefore ?? 0;
  const exceeds = (part: number, limit: number | null): limit is number =>
    knownBefore !== null && limit !== null && 100 * part > limit * known;
  const { maxNew, maxNewPercent, maxChanged, maxChangedPercent, maxGonePercent } = guard;
  if (maxNew !== null && newUrls > maxNew) trips.push({ code: 'max_new', urls: newUrls, limit: maxNew });
  if (exceeds(newUrls, maxNewPercent)) {
    trips.push({ code: 'max_new_percent', urls: newUrls, known, limit: maxNewPercent });
  }
  if (maxChanged !== null && changed > maxChanged)
    trips.push({ code: 'max_changed', urls: changed, limit: maxChanged });
  if (known > 0 && changed >= FEWEST_CHANGED && exceeds(changed, maxChangedPercent)) {
    trips.push({ code: 'max_changed_percent', urls: changed, known, limit: maxChangedPercent });
  }
  if (known > 0 && exceeds(gone, maxGonePercent))
    trips.push({ code: 'max_gone_percent', urls: gone, known, limit: maxGonePercent });
  return trips;
}

/** "6,200 new URLs, more than max_new allows (5,000)". */
export function renderGuardReason(reason: GuardReason): string {
  const { code, urls, limit } = reason;
  switch (code) {
    case 'max_new':
    case 'max_changed':
      return `${formatCount(urls)} ${KIND[code]} URLs, more than ${code} allows (${formatCount(limit)})`;
    case 'max_new_percent':
    case 'max_changed_percent':
      return reason.known === 0
        ? `${formatCount(urls)} ${KIND[code]} URLs where none were known, more than ${code} allows (${limit}%)`
        : `${formatCount(urls)} ${KIND[code]} URLs are ${percent(urls, reason.known)} of the ${formatCount(reason.known)} known, more than ${code} allows (${limit}%)`;
    case 'max_gone_percent':
      return `${formatCount(urls)} of ${formatCount(reason.known)} known URLs are gone (${percent(urls, reason.known)}), more than ${code} allows (${limit}%)`;
  }
}

const KIND = {
  max_new: 'new',
  max_new_percent: 'new',
  max_changed: 'changed',
  max_changed_percent: 'changed',
} as const;

const percent = (part: number, whole: number): string => `${Math.round((1_000 * part) / whole) / 10}%`;
