import type { Report } from './breaches.ts';
import type { Purchase } from './facts.ts';
import type { Listings } from './listings.ts';
import { toVersion } from './moments.ts';

/** With `first_run: baseline`, what a file lists when it is first read as a whole is adopted: bought only when it changes. */
export class BaselineRule {
  readonly #report: Report;
  readonly #listings: Listings;

  constructor(report: Report, listings: Listings) {
    this.#report = report;
    this.#listings = listings;
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
      if (this.isAdopted(sitemap, url, null))
        this.#report(`${url} was bought, and the first run had adopted it as it is (${reference})`, { url, watch });
    }
  }
}
