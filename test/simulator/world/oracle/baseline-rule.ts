import type { Report } from './breaches.ts';
import type { Purchase } from './facts.ts';
import type { Listings } from './listings.ts';
import { toVersion } from './moments.ts';

/**
 * With `first_run: baseline`, what a file lists when it is first read as a whole is adopted: bought only when it changes. A page
 * that another watch has bought meanwhile, and that failed there, is retried by the watch that lists it.
 */
export class BaselineRule {
  readonly #report: Report;
  readonly #listings: Listings;
  readonly #hasFailed: (url: string) => boolean;

  constructor(report: Report, listings: Listings, hasFailed: (url: string) => boolean) {
    this.#report = report;
    this.#listings = listings;
    this.#hasFailed = hasFailed;
  }

  /** Whether a sitemap's first whole files listed a page in this version. */
  isAdopted(sitemap: string, url: string, lastmod: string | null): boolean {
    const files = new Map(
      this.#listings
        .listAll(sitemap)
        .filter(({ isWhole }) => isWhole)
        .toReversed()
        .map((delivery) => [delivery.file, delivery]),
    );
    return [...files.values()].some(
      ({ pages }) =>
        pages.has(url) && (lastmod === null || [null, toVersion(lastmod)].includes(toVersion(pages.get(url)!))),
    );
  }

  purchased({ urls, reference, sent: { sitemap, watch, label, sentAfter } }: Purchase): void {
    for (const url of urls) {
      const versions = [label.plannedAfter, sentAfter].flatMap((order) => [
        ...this.#listings.find(sitemap, url, order).versions,
      ]);
      const first = this.#listings.getFirst(sitemap, url);
      if (versions.length === 0 || !versions.every((version) => version === first)) continue;
      if (this.isAdopted(sitemap, url, null) && !this.#hasFailed(url))
        this.#report(`${url} was bought, and the first run had adopted it as it is (${reference})`, { url, watch });
    }
  }
}
