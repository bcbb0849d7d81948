import type { Report } from './breaches.ts';
import type { Purchase } from './facts.ts';
import type { Listings } from './listings.ts';

/**
 * A watch buys what its own sitemaps list. What no file of it lists any more is gone once a complete run has seen that: until
 * then it may be bought.
 */
export class ListedRule {
  readonly #report: Report;
  readonly #listings: Listings;

  constructor(report: Report, listings: Listings) {
    this.#report = report;
    this.#listings = listings;
  }

  purchased({ urls, sent: { sitemap, watch, label }, reference }: Purchase): void {
    const given = this.#listings.at(sitemap, label.plannedAfter);
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
}
