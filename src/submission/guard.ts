import type { CapRefusal } from './caps.ts';

/** When a change is too large to be believed; null switches a rule off. */
export interface GuardPolicy {
  readonly maxNew: number | null;
  /** New URLs in percent of those known before. */
  readonly maxNewPercent: number | null;
  /** Gone URLs in percent of those known before. */
  readonly maxGonePercent: number | null;
}

/** Why a run waits for your decision, with a few of the URLs that made it wait. */
export interface GuardHold {
  readonly reasons: readonly string[];
  readonly sample: readonly string[];
}

export interface Change {
  readonly newUrls: number;
  readonly gone: number;
  /** URLs that the ledger knew as present before this run. */
  readonly knownBefore: number;
  /** The cap that the run's plan would break, if it would. */
  readonly overCap?: CapRefusal | null;
}

export interface GuardTrip {
  readonly rule: 'max_new' | 'max_new_percent' | 'max_gone_percent' | 'spend';
  /** "6,200 new URLs, more than max_new allows (5,000)". */
  readonly message: string;
}

const count = (value: number): string => value.toLocaleString('en-US');

/**
 * Why a run should wait for a person: a relaunch, a broken CMS and a hijacked sitemap all look like thousands of new or
 * missing URLs. Empty when the change is plausible. Percentages say nothing where nothing was known before.
 */
export function guardTrips({ newUrls, gone, knownBefore, overCap }: Change, guard: GuardPolicy): GuardTrip[] {
  const trips: GuardTrip[] = [];
  const share = (part: number): number => (100 * part) / knownBefore;
  const percent = (part: number): string => `${Math.round(10 * share(part)) / 10}%`;
  if (guard.maxNew !== null && newUrls > guard.maxNew) {
    trips.push({
      rule: 'max_new',
      message: `${count(newUrls)} new URLs, more than max_new allows (${count(guard.maxNew)})`,
    });
  }
  if (knownBefore > 0 && guard.maxNewPercent !== null && share(newUrls) > guard.maxNewPercent) {
    trips.push({
      rule: 'max_new_percent',
      message: `${count(newUrls)} new URLs are ${percent(newUrls)} of the ${count(knownBefore)} known, more than max_new_percent allows (${guard.maxNewPercent}%)`,
    });
  }
  if (knownBefore > 0 && guard.maxGonePercent !== null && share(gone) > guard.maxGonePercent) {
    trips.push({
      rule: 'max_gone_percent',
      message: `${count(gone)} of ${count(knownBefore)} known URLs are gone (${percent(gone)}), more than max_gone_percent allows (${guard.maxGonePercent}%)`,
    });
  }
  if (overCap !== null && overCap !== undefined) trips.push({ rule: 'spend', message: overCap.message });
  return trips;
}
