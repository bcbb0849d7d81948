import type { Report } from './breaches.ts';
import type { Label, Purchase } from './facts.ts';
import type { Listings } from './listings.ts';

/**
 * A watch buys what its own sitemaps list. What no file of it lists any more is gone once a complete run has seen that: until
 * then it may be bought. A run that waited for a decision buys what it was shown: a run under another name, which the watch
 * had meanwhile, takes nothing back.
 */
export class ListedRule {
  readonly #report: Report;
  readonly #listings: Listings;

  constructor(report: Report, listings: Listings) {
    this.#report = report;
    this.#listings = listings;
  }

  purchased({ urls, sent: { sitemap, watch, label }, reference }: Purchase): void {
    const given = this.#listings.at(sitemap, this.#findShown(sitemap, label));
    for (const url of urls) {
      if (this.#listings.getFirst(sitemap, url) === undefined)
        this.#report(`${url} was bought, and no sitemap of ${sitemap} was seen to list it (${reference})`, {
          ...{ url, watch, cause: 'never listed' },
        });
      else if (label.isRunComplete && !given.some(({ pages }) => pages.has(url)))
        this.#report(`${url} was bought, and was gone from all sitemaps of ${sitemap} by then (${reference})`, {
          ...{ url, watch, cause: 'gone' },
        });
    }
  }
  /** The last delivery that counts for a run. */
  #findShown(sitemap: string, { run, plannedAfter }: Label): number {
    const own = run === null ? undefined : this.#listings.listRun(run).at(-1);
    if (own === undefined) return plannedAfter;
    const later = this.#listings.listAll(sitemap).filter(({ order }) => order > own.order && order <= plannedAfter);
    return later.some(({ watch }) => watch !== own.watch) ? own.order : plannedAfter;
  }
}
