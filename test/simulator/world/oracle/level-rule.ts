import type { ServiceLevel } from '../../../../contract/states.ts';
import type { Report } from './breaches.ts';
import type { Purchase } from './facts.ts';
import type { Listings } from './listings.ts';

/** A watch buys at the level that it has, or had since its batch may have been planned: its bytes stay as they are. */
export class LevelRule {
  readonly #report: Report;
  readonly #listings: Pick<Listings, 'getTime'>;
  /** By sitemap, in order. */
  readonly #levels = new Map<string, { readonly at: number; readonly level: ServiceLevel }[]>();

  constructor(report: Report, listings: Pick<Listings, 'getTime'>) {
    this.#report = report;
    this.#listings = listings;
  }

  /** The levels of the configuration from now on. */
  configure(levels: ReadonlyMap<string, ServiceLevel>, sitemaps: Iterable<string>, at: number): void {
    for (const sitemap of sitemaps) {
      const had = this.#levels.get(sitemap) ?? [];
      this.#levels.set(sitemap, had);
      const level = levels.get(sitemap) ?? 'fast';
      if (had.at(-1)?.level !== level) had.push({ at, level });
    }
  }

  purchased({ reference, sent: { sitemap, watch, level, label } }: Purchase): void {
    const had = this.#levels.get(sitemap) ?? [];
    const plannedAt = this.#listings.getTime(label.plannedAfter);
    const first = had.findLastIndex(({ at }) => at <= plannedAt);
    if (had.slice(Math.max(0, first)).some((each) => each.level === level)) return;
    this.#report(`${reference} was bought at the level ${level}, which ${watch} did not have when it was planned`, {
      watch,
      cause: 'level',
    });
  }
}
