import type { Report } from './breaches.ts';
import type { Purchase } from './facts.ts';
import type { Listings } from './listings.ts';
import { toMoment } from './moments.ts';

export interface RetryRule {
  /** How often a failed page is bought again in a row. */
  readonly times: number;
  /** The wait before the first retry, which doubles with each. */
  readonly afterMs: number;
}

export interface PurchaseSettings {
  readonly report: Report;
  readonly listings: Listings;
  readonly retry: RetryRule;
  /** `resubmit.not_within`: the least time between two purchases of a page that are no retries. */
  readonly notWithinMs: number;
  /** `resubmit.on_lastmod_change` */
  readonly buysChanges?: boolean;
  /** `index_check.resubmit_after`; null: never. */
  readonly resubmitAfter?: number | null;
  /** How often an index-check of the service has not found a page. */
  readonly countNotFound?: (url: string) => number;
  /** When the service failed a page of a job, by its clock; null: it has not. */
  readonly readFailure: (reference: string, url: string) => number | null;
  /** When the service created a job, by its clock. */
  readonly readCreated: (reference: string) => number;
  /** The latest time that any clock has shown. */
  readonly getLatestTime: () => number;
  /** How long ago the service's clock showed a time: it may have been set since. */
  readonly getTimeSince: (time: number) => number;
  /** Sitemaps of two accounts list it: each account buys it once. */
  readonly isShared: (url: string) => boolean;
}

/** Why a page was bought. */
type Why = 'new' | 'changed' | 'failed' | 'released' | 'lost' | 'not found';

/** A crawl that had a change so long before a batch was sent has reached the ledger: the purchase is that of the change. */
const CRAWLED_MS = 600_000;

interface Bought {
  readonly purchase: Purchase;
  /** The one that was planned. */
  readonly version: string | null;
  /** With those that were seen before it was sent: the service reads the page after that. */
  readonly versions: ReadonlySet<string | null>;
  readonly why: Why;
  /** Retries in a row, this one included. */
  readonly retries: number;
}

interface Page {
  readonly bought: Bought[];
  /** Versions that were bought, or that no purchase is due for. */
  readonly versions: Set<string | null>;
  /** How often an operator has released it since it was last bought for that. */
  released: number;
  /** Versions of purchases that a copy of the ledger lacks, and that are later than their job. */
  readonly lost: Set<string | null>;
}

/**
 * A page is bought once for each version of it, and again for nothing but: the service has failed it, as often in a row and as
 * late as `retry_failed` says; an operator has released it; or a copy of the ledger lacks a purchase of a version that is later
 * than its job, which clocks that were set back leave. A version is a moment, in whatever format. The first one that a watch sees
 * of a page that was bought before, and the first date of a page without one, are no changes.
 */
export class PurchaseRule {
  readonly #settings: PurchaseSettings;
  readonly #pages = new Map<string, Page>();

  constructor(settings: PurchaseSettings) {
    this.#settings = settings;
  }

  #get(url: string, account: string): Page {
    const name = this.#settings.isShared(url) ? `${account} ${url}` : url;
    const page = this.#pages.get(name) ?? { bought: [], versions: new Set(), released: 0, lost: new Set() };
    this.#pages.set(name, page);
    return page;
  }

  /** An operator has released it from quarantine. */
  release(url: string): void {
    for (const [name, page] of this.#pages) if (name === url || name.endsWith(` ${url}`)) page.released += 1;
  }

  /** A copy of the ledger lacks these purchases. */
  lose(purchases: readonly Purchase[]): void {
    for (const { urls, account, reference } of purchases) {
      for (const url of urls) {
        const page = this.#get(url, account);
        const lost = page.bought.find(({ purchase }) => purchase.reference === reference);
        const moment = toMoment(lost?.version ?? null);
        if (moment !== null && moment > this.#settings.readCreated(reference)) page.lost.add(lost!.version);
      }
    }
  }

  #listAll(url: string): readonly Bought[] {
    return [...this.#pages].flatMap(([name, { bought }]) => (name === url || name.endsWith(` ${url}`) ? bought : []));
  }

  /** The versions of a page that any account has bought. */
  listBought(url: string): ReadonlySet<string | null> {
    return new Set(this.#listAll(url).flatMap(({ versions }) => [...versions]));
  }

  /** When a worker first had written down that any account has bought a page; null: no answer said so. */
  getKnownAt(url: string): number | null {
    const times = this.#listAll(url).flatMap(({ purchase }) => purchase.sent.answeredAt ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Whether any account had bought a page by then. */
  wasBoughtBefore(url: string, at: number): boolean {
    return this.#listAll(url).some(({ purchase }) => purchase.at < at);
  }

  /** Whether a purchase of a page has failed. */
  hasFailed = (url: string): boolean =>
    this.#listAll(url).some(({ purchase }) => this.#settings.readFailure(purchase.reference, url) !== null);

  /** Whether any account has bought this version of a page. */
  hasBought = (url: string, version: string | null): boolean => this.listBought(url).has(version);

  purchased(purchase: Purchase): void {
    for (const url of purchase.urls) this.#buy(url, purchase);
  }

  #buy(url: string, purchase: Purchase): void {
    const { listings } = this.#settings;
    const { sitemap, label, sentAfter, since } = purchase.sent;
    const page = this.#get(url, purchase.account);
    const listed = listings.find(sitemap, url, label.plannedAfter);
    const sent = listings.find(sitemap, url, sentAfter);
    const certain = listings.find(sitemap, url, sentAfter, since - CRAWLED_MS);
    const last = page.bought.at(-1);
    const candidates = [...listed.versions].filter((version) => this.#isDue(page, sitemap, url, version));
    const retries = this.#countRetries(last, url);
    let why: Why | null = null;
    if (last === undefined) why = 'new';
    // A page that has failed is bought again at its time, also when it has changed meanwhile: not_within is of changes.
    else if (retries !== null && this.#getRestOfNotWithin(last) > 0) why = 'failed';
    else if (candidates.length > 0 && this.#settings.buysChanges !== false) why = 'changed';
    else if (retries !== null) why = 'failed';
    else if (page.released > 0) why = 'released';
    else if ([...listed.versions].some((version) => page.lost.delete(version))) why = 'lost';
    else if (this.#isNotFound(url, page)) why = 'not found';
    if (why === 'released') page.released -= 1;
    const version = candidates[0] ?? [...listed.versions][0] ?? null;
    if (why === null) this.#reportAgain(url, purchase, page, version);
    if (why === 'failed') this.#checkTime(url, purchase, last!);
    else if (why === 'changed') this.#checkNotWithin(url, purchase, last!);
    const bought = new Set([version, ...(why === 'new' ? listed.versions : []), ...certain.versions]);
    for (const each of bought) page.versions.add(each);
    page.bought.push({
      ...{ purchase, version, versions: new Set([...bought, ...sent.versions]) },
      ...{ why: why ?? 'new', retries: why === 'failed' ? retries! : 0 },
    });
  }

  /** Whether a version is one that nobody has bought, and no first sight of a page that was bought before. */
  #isDue({ bought, versions }: Page, sitemap: string, url: string, version: string | null): boolean {
    if (bought.length === 0) return true;
    if (version === null || versions.has(version)) return false;
    const { listings } = this.#settings;
    if (bought.some(({ purchase }) => purchase.sent.sitemap === sitemap))
      return !versions.has(null) || listings.getFirstDated(sitemap, url) !== version || versions.size > 1;
    return listings.getFirst(sitemap, url) !== version;
  }

  /** Whether checks have not found it as often as they must, since it was last bought for that. */
  #isNotFound(url: string, { bought }: Page): boolean {
    const { resubmitAfter = null, countNotFound = () => 0 } = this.#settings;
    if (resubmitAfter === null) return false;
    const times = bought.filter(({ why }) => why === 'not found').length;
    return countNotFound(url) >= resubmitAfter * (times + 1);
  }

  /** The number of a retry that the last purchase allows; null: it allows none. */
  #countRetries(last: Bought | undefined, url: string): number | null {
    if (last === undefined || last.retries >= this.#settings.retry.times) return null;
    return this.#settings.readFailure(last.purchase.reference, url) === null ? null : last.retries + 1;
  }

  #reportAgain(url: string, purchase: Purchase, page: Page, version: string | null): void {
    const { watch, account } = purchase.sent;
    const lastmod = version === null ? 'without a lastmod' : `with the lastmod ${describe(version)}`;
    this.#settings.report(
      `${url} was bought again ${lastmod}, and nothing was due (${purchase.reference}, after ${page.bought.map((each) => each.purchase.reference).join(' ')})`,
      { url, watch, account, cause: 'again' },
    );
  }

  #checkTime(url: string, { reference, sent }: Purchase, last: Bought): void {
    const { readFailure, getLatestTime, getTimeSince, retry, report } = this.#settings;
    const failedAt = readFailure(last.purchase.reference, url)!;
    const least = retry.afterMs * 2 ** last.retries;
    const passed = Math.max(getLatestTime() - failedAt, getTimeSince(failedAt));
    if (passed >= least) return;
    report(`${url} was bought again ${passed} ms after it had failed, at least ${least} were to pass (${reference})`, {
      url,
      watch: sent.watch,
      beyond: least - passed,
      cause: 'retry too early',
    });
  }

  /** How long `not_within` of the last purchase goes on. */
  #getRestOfNotWithin({ purchase }: Bought): number {
    const { notWithinMs, readCreated, getLatestTime } = this.#settings;
    return notWithinMs === 0 ? 0 : notWithinMs - (getLatestTime() - readCreated(purchase.reference));
  }

  #checkNotWithin(url: string, { reference, sent }: Purchase, last: Bought): void {
    const { notWithinMs, report } = this.#settings;
    const rest = this.#getRestOfNotWithin(last);
    if (rest <= 0) return;
    report(`${url} was bought again after ${notWithinMs - rest} ms, and not_within is ${notWithinMs} (${reference})`, {
      ...{ url, watch: sent.watch, beyond: rest },
      cause: last.purchase.sent.sitemap === sent.sitemap ? 'not within' : 'not within, across watches',
    });
  }
}

function describe(version: string): string {
  const moment = toMoment(version);
  return moment === null ? version : new Date(moment).toISOString();
}
