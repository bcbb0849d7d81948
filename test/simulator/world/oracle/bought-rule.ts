import { FAILS, POISON, type Site } from '../site.ts';
import type { BaselineRule } from './baseline-rule.ts';
import type { Report } from './breaches.ts';
import type { Purchase } from './facts.ts';
import { toMoment, toVersion } from './moments.ts';
import type { PurchaseRule, RetryRule } from './purchase-rule.ts';
import type { SeenChange } from './seen-change.ts';
import type { ServiceData } from './service-data.ts';

/** A page that the service refuses every time. */
const CHANGED = 'has changed, and was not bought since';
const FAILED = 'has failed, and was not bought again';
const FAILED_IN_SEVERAL = `${FAILED}, and several watches listed it`;
const TAKEN = 'was bought, and the service never took it';

export interface BoughtSettings {
  readonly report: Report;
  readonly site: Site;
  readonly serviceData: ServiceData;
  readonly retry: RetryRule;
  readonly purchases: PurchaseRule;
  /** Null: the first run of a watch buys what is there. */
  readonly baseline: BaselineRule | null;
  /** The account of the watch of a sitemap now, as the service calls it. */
  readonly toAccount: (sitemap: string) => string;
  readonly toWatch: (sitemap: string) => string;
  /** `resubmit.on_lastmod_change`; absent: on. */
  readonly buysChanges?: boolean;
  /** `resubmit.not_within`, in milliseconds; absent: 0. */
  readonly notWithinMs?: number;
  readonly now: () => number;
  /** The latest time that any clock has shown since the service's clock showed a time. */
  readonly getHighestSince: (time: number) => number;
  /** What crawls have shown of pages that several sitemaps list. */
  readonly changes: Pick<SeenChange, 'isSure'>;
}

interface Wrong {
  readonly url: string;
  readonly sitemap: string;
  readonly cause: string;
}

/**
 * In a world that has been good for long enough, each listed page is bought as it is listed, and again when it has failed; one
 * that the service never takes is not. Nothing that nobody wants is bought.
 */
export class BoughtRule {
  readonly #settings: BoughtSettings;
  /** The jobs of each page, in order, by URL, and by account and URL. */
  readonly #jobs = new Map<string, string[]>();
  /** URLs that nobody wants now, and why. */
  readonly #unwanted = new Map<string, string>();
  /** Sitemaps whose watches have changed their account: what they have bought stays bought. */
  readonly #changedAccount = new Set<string>();
  /** When the latest job that a copy of the ledger lacked was created, by URL. */
  readonly #lostJobs = new Map<string, number>();
  /** Jobs that an operator has ended: their pages without a result count as bought. */
  readonly #left = new Set<string>();
  /** Pages of batches that an operator has left in review, as they were listed then. */
  readonly #leftPages = new Map<string, string | null>();
  /** The service never shows which URLs failed: a page of a job that has ended counts as bought. */
  hidesFailures = false;

  constructor(settings: BoughtSettings) {
    this.#settings = settings;
  }

  purchased({ urls, reference, account }: Purchase): void {
    for (const url of urls) {
      for (const name of [url, `${account} ${url}`]) this.#jobs.set(name, [...(this.#jobs.get(name) ?? []), reference]);
      const unwanted = this.#unwanted.get(url);
      if (unwanted !== undefined)
        this.#settings.report(`${url} was bought, although ${unwanted} (${reference})`, { url, cause: 'unwanted' });
    }
  }

  setUnwanted(urls: readonly string[], why: string | null): void {
    for (const url of urls) {
      if (why === null) this.#unwanted.delete(url);
      else this.#unwanted.set(url, why);
    }
  }

  /** The watch of a sitemap belongs to another account. */
  changeAccount(sitemap: string): void {
    this.#changedAccount.add(sitemap);
  }

  /** An operator has ended a job that the connector no longer polls. */
  leave(reference: string): void {
    this.#left.add(reference);
  }

  /** An operator has left a batch in review: its pages count as bought as they are listed now. */
  leavePages(urls: readonly string[]): void {
    for (const url of urls) this.#leftPages.set(url, this.#settings.site.getLastmod(url) ?? null);
  }

  /** A copy of the ledger came back that lacks these. */
  lose(purchases: readonly Purchase[]): void {
    for (const { urls, reference } of purchases) {
      const created = this.#settings.serviceData.readCreated(reference);
      for (const url of urls) this.#lostJobs.set(url, Math.max(created, this.#lostJobs.get(url) ?? 0));
    }
  }

  isBought(url: string): boolean {
    return this.#jobs.has(url);
  }

  /** Whether it is bought as it is listed, and neither failed nor looked for in vain. */
  isDone(url: string): boolean {
    const { serviceData } = this.#settings;
    return (
      this.#isBoughtAsListed(url) && serviceData.listFailures(url).length === 0 && serviceData.countNotFound(url) === 0
    );
  }

  /** A page without a result in a job that has ended, or that an operator has ended, counts as bought. */
  countsAsCompleted(url: string): boolean {
    const { serviceData } = this.#settings;
    if (serviceData.listCompletions(url).length > 0) return true;
    const { ended } = serviceData.listJobs(url);
    return (this.#jobs.get(url) ?? []).some(
      (job) => this.#left.has(job) || (this.hidesFailures && ended.includes(job)),
    );
  }

  /** These must have been bought by now, as they are listed now. */
  require(urls: readonly string[], why: string): void {
    for (const url of urls) {
      if (!this.#isBoughtAsListed(url))
        this.#settings.report(`${url} was not bought as it is listed, although ${why}`, { url });
    }
  }

  /** These sitemaps must be bought by now, although another account is in trouble: but what may be charged to that one. */
  requireOthers(sitemaps: readonly string[], inDoubt: ReadonlySet<string>): void {
    const { site, report } = this.#settings;
    for (const sitemap of sitemaps) {
      for (const { url } of site.list(sitemap)) {
        if (url.includes(POISON) || inDoubt.has(url) || this.#listJobs(url, sitemap).length > 0) continue;
        report(`${url} is listed, and was not bought while another account is in trouble`, { url });
      }
    }
  }

  requireAll(sitemaps: ReadonlySet<string>): void {
    for (const { url, sitemap, cause } of this.#findWrong(sitemaps))
      this.#settings.report(`${url} ${cause}`, { url, watch: this.#settings.toWatch(sitemap), cause });
  }

  /** Pages that must have been bought by now, and were not, and why. */
  listUnbought(sitemaps: ReadonlySet<string>): readonly Pick<Wrong, 'url' | 'cause'>[] {
    return this.#findWrong(sitemaps).filter(({ cause }) => cause !== TAKEN);
  }

  /** The jobs that count for a watch: of its account, unless a watch that ever listed the page had another one before. */
  #listJobs(url: string, sitemap: string): readonly string[] {
    const { site, toAccount } = this.#settings;
    const hasMoved = site.listSitemaps(url).some((each) => this.#changedAccount.has(each));
    return this.#jobs.get(hasMoved ? url : `${toAccount(sitemap)} ${url}`) ?? [];
  }

  #findWrong(sitemaps: ReadonlySet<string>): Wrong[] {
    return [...sitemaps].flatMap((sitemap) =>
      this.#settings.site.listShown(sitemap).flatMap(({ url, lastmod }) => {
        const cause = this.#findCause(url, lastmod, sitemap);
        return cause === null ? [] : [{ url, sitemap, cause }];
      }),
    );
  }

  /** What is wrong about a page; null: nothing is. */
  #findCause(url: string, lastmod: string | null, sitemap: string): string | null {
    const { site, baseline } = this.#settings;
    if (baseline?.isAdopted(sitemap, url, lastmod) === true) return null;
    const jobs = this.#listJobs(url, sitemap);
    if (url.includes(POISON)) return jobs.length > 0 ? TAKEN : null;
    if (this.#isLeft(url)) return null;
    if (jobs.length === 0) return 'is listed, and was never bought';
    // One that failed as often as it may is in quarantine, also when it changes.
    if (url.includes(FAILS)) {
      if (!this.#isRetryDue(url, jobs)) return null;
      return site.listSitemaps(url).length > 1 ? FAILED_IN_SEVERAL : FAILED;
    }
    if (this.#hasFailedFirst(url, jobs)) return site.listSitemaps(url).length > 1 ? FAILED_IN_SEVERAL : FAILED;
    if (this.#settings.buysChanges === false) return null;
    if (this.#isCoveredByLostJob(url, lastmod) || this.#mustWait(url)) return null;
    if (site.isChange(url) && !this.#isBoughtAsListed(url)) return CHANGED;
    return baseline === null && this.#settings.changes.isSure(url, sitemap) ? CHANGED : null;
  }

  /** Unless it has changed since. */
  #isLeft(url: string): boolean {
    const left = this.#leftPages.get(url);
    if (left === undefined) return false;
    const [then, now] = [left, this.#settings.site.getLastmod(url) ?? null].map(
      (each) => toMoment(toVersion(each)) ?? 0,
    );
    return now! <= then!;
  }

  #isRetryDue(url: string, jobs: readonly string[]): boolean {
    const { serviceData, retry } = this.#settings;
    if (this.hidesFailures || this.#left.has(jobs.at(-1)!) || this.#isNotedAhead(url, jobs)) return false;
    return jobs.length <= Math.min(retry.times, serviceData.listFailures(url).length);
  }

  /** Failed by its last job, and not by the one before: failures in a row begin again at a job that completed it. */
  #hasFailedFirst(url: string, jobs: readonly string[]): boolean {
    const { serviceData } = this.#settings;
    const [last = '', before = ''] = jobs.toReversed();
    if (this.hidesFailures || this.#left.has(last) || this.#isNotedAhead(url, jobs)) return false;
    return serviceData.readFailure(last, url) !== null && serviceData.readFailure(before, url) === null;
  }

  /** A worker whose clock was ahead may have read the last failure: its retry waits from the time which that clock showed. */
  #isNotedAhead(url: string, jobs: readonly string[]): boolean {
    const { serviceData, getHighestSince, now } = this.#settings;
    const failedAt = serviceData.readFailure(jobs.at(-1)!, url);
    return failedAt !== null && now() < getHighestSince(failedAt);
  }

  /** The last purchase is too recent for a change. */
  #mustWait(url: string): boolean {
    const { serviceData, notWithinMs = 0, now } = this.#settings;
    if (notWithinMs === 0) return false;
    const created = (this.#jobs.get(url) ?? []).map((job) => serviceData.readCreated(job));
    return now() - Math.max(0, ...created) < notWithinMs;
  }

  #isBoughtAsListed(url: string): boolean {
    const lastmod = this.#settings.site.getLastmod(url);
    return lastmod !== undefined && this.#settings.purchases.hasBought(url, toVersion(lastmod));
  }

  /** A job that a copy of the ledger lacks counts as the purchase of every lastmod that is not later than its creation. */
  #isCoveredByLostJob(url: string, lastmod: string | null): boolean {
    const created = this.#lostJobs.get(url);
    return created !== undefined && (toMoment(toVersion(lastmod)) ?? 0) <= created;
  }
}
