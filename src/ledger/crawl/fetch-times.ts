import { getSpan, getStart, SPAN, type Version } from '../../url/version.ts';

/** So near to the fetch that a site has written the time of the answer. */
const NEAR_MS = 10 * 60_000;
/** Fewer pages may have been edited at once. */
const MIN_ENTRIES = 20;

/**
 * Finds out whether a sitemap writes the time of the answer in place of that of an edit: 20 entries or more, all with another
 * version than at the last visit, all within ten minutes of the fetch. A sitemap that is new is not judged.
 */
export class FetchTimes {
  readonly #now: number;
  #moved = 0;
  #isOther = false;

  constructor(now: number) {
    this.#now = now;
  }

  /** An entry has the version that it had. */
  stand(): void {
    this.#isOther = true;
  }

  /** An entry has another version; 0: none any more. */
  move(version: number): void {
    this.#moved += 1;
    const isNear =
      getSpan(version as Version) < SPAN.day && Math.abs(getStart(version as Version) - this.#now) <= NEAR_MS;
    if (version === 0 || !isNear) this.#isOther = true;
  }

  get isStamped(): boolean {
    return !this.#isOther && this.#moved >= MIN_ENTRIES;
  }
}
