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

/** Why a run waits for your decision, with a sample of its URLs. */
export interface GuardHold {
  readonly reasons: readonly string[];
  readonly sample: readonly string[];
}

export interface Change {
  readonly newUrls: number;
  /** URLs with a changed lastmod that the run would buy. */
  readonly changed: number;
  readonly gone: number;
  /** URLs that the ledger knew as present before this run. */
  readonly knownBefore: number;
}

export interface GuardTrip {
  readonly rule: 'max_new' | 'max_new_percent' | 'max_changed' | 'max_changed_percent' | 'max_gone_percent';
  /** "6,200 new URLs, more than max_new allows (5,000)". */
  readonly message: string;
}

const count = (value: number): string => value.toLocaleString('en-US');

/**
 * Why a run should wait for approval: a relaunch, a broken CMS and a hijacked sitemap all look like thousands of new,
 * changed or missing URLs. Empty when the change is plausible. Percentages do not apply when no URL was known before.
 */
export function guardTrips({ newUrls, changed, gone, knownBefore }: Change, guard: GuardPolicy): GuardTrip[] {
  const trips: GuardTrip[] = [];
  const share = (part: number): number => (100 * part) / knownBefore;
  const percent = (part: number): string => `${Math.round(10 * share(part)) / 10}%`;
  const exceeds = (part: number, limit: number | null): limit is number =>
    knownBefore > 0 && limit !== null && share(part) > limit;
  const { maxNew, maxNewPercent, maxChanged, maxChangedPercent, maxGonePercent } = guard;
  if (maxNew !== null && newUrls > maxNew) {
    trips.push({ rule: 'max_new', message: `${count(newUrls)} new URLs, more than max_new allows (${count(maxNew)})` });
  }
  if (exceeds(newUrls, maxNewPercent)) {
    trips.push({
      rule: 'max_new_percent',
      message: `${count(newUrls)} new URLs are ${percent(newUrls)} of the ${count(knownBefore)} known, more than max_new_percent allows (${maxNewPercent}%)`,
    });
  }
  if (maxChanged !== null && changed > maxChanged) {
    trips.push({
      rule: 'max_changed',
      message: `${count(changed)} changed URLs, more than max_changed allows (${count(maxChanged)})`,
    });
  }
  if (changed >= FEWEST_CHANGED && exceeds(changed, maxChangedPercent)) {
    trips.push({
      rule: 'max_changed_percent',
      message: `${count(changed)} changed URLs are ${percent(changed)} of the ${count(knownBefore)} known, more than max_changed_percent allows (${maxChangedPercent}%)`,
    });
  }
  if (exceeds(gone, maxGonePercent)) {
    trips.push({
      rule: 'max_gone_percent',
      message: `${count(gone)} of ${count(knownBefore)} known URLs are gone (${percent(gone)}), more than max_gone_percent allows (${maxGonePercent}%)`,
    });
  }
  return trips;
}
