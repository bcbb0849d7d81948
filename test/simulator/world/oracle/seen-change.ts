import { UNSURE_MS } from '../site.ts';
import type { Listings } from './listings.ts';
import { toMoment, toVersion } from './moments.ts';

export interface SeenChangeSettings {
  readonly listings: Pick<Listings, 'listAll' | 'at' | 'order' | 'listExactness'>;
  /** Whether the ledger has this run, and it could read every sitemap. */
  readonly isComplete: (run: string) => boolean;
  /** The versions of a page that anybody has bought. */
  readonly listBought: (url: string) => ReadonlySet<string | null>;
  /** When a worker first had written down that somebody bought a page; null: no answer said so. */
  readonly getKnownAt: (url: string) => number | null;
  /** The last delivery before the watch of a sitemap had the name of now. */
  readonly getSince: (sitemap: string) => number;
}

/**
 * A page that two watches list is bought again when it changes and neither has bought the change; a change is a later lastmod in
 * the same watch. Where one of them has shown it an earlier one, whatever the other one shows, it must be bought.
 */
export class SeenChange {
  readonly #settings: SeenChangeSettings;

  constructor(settings: SeenChangeSettings) {
    this.#settings = settings;
  }

  /** Whether the watch of a sitemap lists a page later than it did, and later than what was bought of it. */
  isSure(url: string, sitemap: string): boolean {
    const { listings, listBought } = this.#settings;
    const now = this.#getLatest(sitemap, url);
    const first = this.#getFirst(sitemap, url);
    if (now === null || first === null) return false;
    const bought = [...listBought(url)].flatMap((version) => toMoment(version) ?? []);
    const apartMs = listings.listExactness(url).size > 1 ? UNSURE_MS : 0;
    return bought.length > 0 && [first, ...bought].every((moment) => now - moment > apartMs);
  }

  /** The latest moment that one of its files shows now; null: none does. */
  #getLatest(sitemap: string, url: string): number | null {
    const { listings } = this.#settings;
    const moments = listings
      .at(sitemap, listings.order)
      .flatMap(({ pages }) => toMoment(toVersion(pages.get(url) ?? null)) ?? []);
    return moments.length === 0 ? null : Math.max(...moments);
  }

  /** The first moment that a complete run of the watch was shown, since it has its name and the page is known as bought. */
  #getFirst(sitemap: string, url: string): number | null {
    const { listings, isComplete, getSince, getKnownAt } = this.#settings;
    const since = getSince(sitemap);
    const knownAt = getKnownAt(url) ?? Number.POSITIVE_INFINITY;
    for (const { order, at, isWhole, run, pages } of listings.listAll(sitemap)) {
      const moment = toMoment(toVersion(pages.get(url) ?? null));
      if (order > since && at > knownAt && isWhole && moment !== null && run !== null && isComplete(run)) return moment;
    }
    return null;
  }
}
