import type { Kernel } from '../../platform/kernel.ts';
import { cutBody, type NetRequest, type NetResponse } from '../../platform/network.ts';
import { type AccountName, SERVICE_NAMES } from '../account-names.ts';
import type { OperatorSettings } from '../configuration.ts';
import type { ShownCharge } from '../faults.ts';
import type { Price } from '../levels.ts';
import type { Site } from '../site.ts';
import type { Reader } from '../stores.ts';
import { BoughtRule } from './bought-rule.ts';
import { type Breach, Breaches, type Report } from './breaches.ts';
import { CAP_NAMES, type CapName, toDay } from './caps-rule.ts';
import { ChargeReader } from './charge-reader.ts';
import type { Seen } from './charges-rule.ts';
import { Copies } from './copies.ts';
import { Listings } from './listings.ts';
import { createPurchaseRules, type PolicySettings, type PurchaseRules } from './purchase-rules.ts';
import { RateRule } from './rate-rule.ts';
import { type LedgerNames, RequestReader } from './request-reader.ts';
import type { Promised } from './said-rule.ts';
import { SeenChange } from './seen-change.ts';
import { ServiceData } from './service-data.ts';
import { WatchNames } from './watch-names.ts';

export interface OracleSettings extends PolicySettings, LedgerNames {
  readonly kernel: Kernel;
  /** The service's database. */
  readonly service: Reader;
  readonly site: Site;
  /** Of a URL, at first, in micro-lira. */
  readonly price: Price;
  /** The run of a watch that is under way in the ledger now; null: none is. */
  readonly findOpenRun: (watch: string) => string | null;
  /** See Breaches. */
  readonly findKnown?: (breach: Breach) => string | null;
}

/**
 * Collects what happened, and shows it to the rules, which are written from the promises: it reads the service's database, what
 * the sites gave to crawls and what was sent; and of the ledger only what it calls a batch, and whether it had tried it before.
 */
export class Oracle {
  readonly listings = new Listings();
  readonly rates: RateRule;
  readonly #settings: OracleSettings;
  readonly #serviceData: ServiceData;
  readonly #breaches: Breaches;
  readonly #names = new WatchNames();
  readonly #requests: RequestReader;
  readonly #copies: Copies;
  readonly #rules: PurchaseRules;
  readonly #boughtRule: BoughtRule;
  readonly #charges: ChargeReader;
  readonly #shown = new Map<string, ShownCharge>();
  readonly #leftBatches = new Set<string>();
  /** Purchases when a copy of the ledger came back; null: none has. */
  #chargesAtRestore: number | null = null;

  constructor(settings: OracleSettings) {
    this.#settings = settings;
    const { kernel, findKnown, site, retry } = settings;
    this.#breaches = new Breaches({
      trace: (line) => kernel.trace(line),
      ...(findKnown === undefined ? {} : { findKnown }),
    });
    const toReport = (rule: string) => this.toReport(rule);
    const { listings } = this;
    const names = this.#names;
    const serviceData = new ServiceData(settings.service);
    this.#serviceData = serviceData;
    this.rates = new RateRule(toReport('rates'));
    this.#requests = new RequestReader({ ...settings, toReport, names, getOrder: () => listings.order });
    const { sends } = this.#requests;
    this.#copies = new Copies(sends);
    this.#rules = createPurchaseRules({
      ...{ ...settings, toReport, listings, serviceData },
      hidesFailures: () => this.#boughtRule.hidesFailures,
    });
    const { versions, baseline, checks } = this.#rules;
    this.#boughtRule = new BoughtRule({
      ...{ report: toReport('bought'), site, serviceData, retry, purchases: versions, baseline },
      toAccount: (sitemap) => this.#requests.toAccount(sitemap),
      toWatch: (sitemap) => names.toName(sitemap),
      buysChanges: settings.buysChanges ?? true,
      ...(settings.notWithinMs === undefined ? {} : { notWithinMs: settings.notWithinMs }),
      now: () => settings.kernel.now(),
      getHighestSince: (time) => settings.kernel.getHighestTime(settings.kernel.getTimeSince(time, 'service')),
      changes: new SeenChange({
        ...{ listings, isComplete: settings.isComplete, listBought: (url) => versions.listBought(url) },
        getSince: (sitemap) => names.getSince(sitemap),
        getKnownAt: (url) => versions.getKnownAt(url),
      }),
    });
    this.#charges = new ChargeReader({
      ...{ ...settings, toReport, serviceData, sends, copies: this.#copies },
      onPurchase: (purchase) => {
        this.#rules.purchased(purchase);
        this.#boughtRule.purchased(purchase);
      },
      onCheck: (charge, watch, day) => checks.charged(charge, watch, day),
      onCheckGivenBack: (amount, watch, day) => checks.givenBack(amount, watch, day),
    });
  }

  /** What was broken, but for what known findings explain. */
  get breaches(): readonly string[] {
    return this.#breaches.texts;
  }

  /** What known findings explain, by finding. */
  get known(): ReadonlyMap<string, readonly string[]> {
    return this.#breaches.known;
  }

  breach(text: string, { rule = 'world', ...about }: Partial<Breach> = {}): void {
    this.#breaches.add({ rule, text, ...about });
  }

  toReport(rule: string): Report {
    return this.#breaches.toReport(rule);
  }

  /** The service never shows which URLs failed. */
  set hidesFailures(hides: boolean) {
    this.#boughtRule.hidesFailures = hides;
  }

  /** Purchases of ours. */
  get charges(): number {
    return this.#charges.count;
  }

  /** Of all submissions, in micro-lira. */
  get charged(): number {
    return this.#charges.sum;
  }

  /** Jobs of another program. */
  get elsewhere(): ReadonlySet<string> {
    return this.#charges.elsewhere;
  }

  /** The configuration of all workers from now on. */
  configure(settings: Pick<OperatorSettings, 'caps' | 'floor' | 'watches' | 'secondAccount' | 'levels'>): void {
    this.#rules.levels.configure(settings.levels, settings.watches.values(), this.#settings.kernel.elapsed);
    this.#names.configure(settings.watches, this.listings.order);
    this.#rules.guards.configure(new Set(settings.watches.keys()));
    this.#requests.configured = settings;
    this.hadLimits ||= settings.floor > 0 || CAP_NAMES.some((name) => settings.caps[name] !== null);
  }

  /** Any cap or a floor was configured at some time, or a run had a limit. */
  hadLimits = false;

  changePrice(account: string, price: Price): void {
    this.#charges.changePrice(account, price);
  }

  /** A worker asks for the prices of an account, or has read them. */
  notePrices(account: string, how: 'asked' | 'shown'): void {
    this.#charges.notePrices(account, how);
  }

  /** Another program of the customer spends so much. */
  spendElsewhere(account: string, amount: number): void {
    this.#charges.spendElsewhere(account, amount);
  }

  /** A job of another program, which nobody sees being submitted. */
  jobElsewhere(reference: string): void {
    this.#charges.elsewhere.add(reference);
  }

  /** Another program of the customer submits pages under this key: they are not bought for us, and its job is none of ours. */
  expectElsewhere(key: string): void {
    this.#charges.expectElsewhere(key);
  }

  /** The watch of a sitemap belongs to another account: what it has bought stays bought. */
  changeAccount(sitemap: string): void {
    this.#boughtRule.changeAccount(sitemap);
    this.#requests.changeLane(sitemap);
  }

  /** The watch of a sitemap buys at another level: it brings what it has sent to the lane of that. */
  changeLevel(sitemap: string): void {
    this.#requests.changeLane(sitemap);
  }

  copyLedger(): void {
    this.check();
    this.#rules.checks.copied();
    this.#copies.copied();
  }

  /** The copy is back. No list shows index-checks: what they cost since the copy counts for no cap. */
  restoreLedger(): void {
    this.check();
    this.#chargesAtRestore = this.charges;
    const { purchases, spent } = this.#copies.restored(this.#settings.kernel.elapsed);
    for (const each of spent) this.#charges.caps.add({ ...each, amount: -each.amount });
    this.rates.restored();
    this.#rules.checks.restored();
    this.#rules.versions.lose(purchases);
    this.#boughtRule.lose(purchases);
  }

  /** Whether a batch or an index-check may have been charged, and no worker knows it. */
  get hasDoubts(): boolean {
    return this.#requests.sends.listUnanswered().some(({ mayBeCharged }) => mayBeCharged);
  }

  /** Whether nothing was bought since the last copy came back: then nothing has compared it with the service. */
  get isCopyUncompared(): boolean {
    this.check();
    return this.#chargesAtRestore === this.charges;
  }

  /** An operator has ended a job that the connector no longer polls. */
  leave(reference: string): void {
    this.#boughtRule.leave(reference);
  }

  /** An operator has left a batch in review, by its key: it counts as charged where it may be, and its pages as bought. */
  leaveBatch(key: string, urls: readonly string[]): void {
    this.#leftBatches.add(key);
    this.#boughtRule.leavePages(urls);
  }

  isLeftBatch(key: string): boolean {
    return this.#leftBatches.has(key);
  }

  /** An index-check left, and nobody is known to have refused it. */
  mayCheckBeCharged(key: string): boolean {
    return this.#requests.sends.findCheck(key)?.mayBeCharged === true;
  }

  getPriceRange(): readonly [number, number] {
    return this.#charges.getPriceRange();
  }

  /** An operator has released it from quarantine. */
  allowAgain(url: string): void {
    this.check();
    this.#rules.versions.release(url);
  }

  /** An operator lets the ledger forget pages, which no sitemap lists. */
  forgot(urls: readonly string[]): void {
    this.#rules.guards.forgot(urls);
  }

  /** A run has taken an approval. */
  approved(run: string): void {
    this.#rules.guards.approved(run);
  }

  /** The approval of a plan was refused. */
  notApproved(run: string): void {
    this.#rules.guards.notApproved(run);
  }

  /** A run may spend so much at most: a cap of its own, below those of the configuration. */
  limitRun(run: string, maxCost: number): void {
    this.hadLimits = true;
    this.#requests.limitRun(run, maxCost);
  }

  /** Who decided about a run was shown what it costs and buys. */
  said(promise: Promised): void {
    this.#rules.said.said(promise);
  }

  /** From now on nobody wants these URLs, or does again. */
  setUnwanted(urls: readonly string[], why: string | null): void {
    this.check();
    this.#boughtRule.setUnwanted(urls, why);
  }

  /** These URLs must have been bought by now, as they are listed now. */
  requireBought(urls: readonly string[], why: string): void {
    this.check();
    this.#boughtRule.require(urls, why);
  }

  /** How a job or an index-check was bought, by its reference or key; null: a copy of the ledger lacked it. */
  findSeen(kind: 'batch' | 'check', name: string): Seen | null {
    if (kind === 'batch' && this.isLeftBatch(this.#charges.findKey(name) ?? '')) return null;
    return this.#charges.findSeen(kind, name);
  }

  /** An answer has shown what a job cost in another way than the service has it. */
  showed(reference: string, shown: ShownCharge): void {
    this.#shown.set(reference, shown);
  }

  /** What was shown of the charge of a job; null: it was shown as it is. */
  findShown(reference: string): ShownCharge | null {
    return this.#shown.get(reference) ?? null;
  }

  /** See Copies. */
  isSoonSentAgain(reference: string): boolean {
    return this.#copies.isSoonSentAgain(reference);
  }

  /** A copy of the ledger lacks this job, by its reference. */
  isLostJob(reference: string): boolean {
    return this.#copies.isLostJob(reference);
  }

  /** A copy of the ledger lacks this index-check, by its key. */
  isLostCheck(key: string): boolean {
    return this.#copies.isLostCheck(key);
  }

  /** The last delivery before this one after which a watch was not configured; -1: it always was. */
  findAway(watch: string, order: number): number {
    return this.#rules.guards.findAway(watch, order);
  }

  /** Whether any account had bought a page by then. */
  wasBoughtBefore(url: string, at: number): boolean {
    return this.#rules.versions.wasBoughtBefore(url, at);
  }

  /** How many of these URLs were bought by now. */
  countBought(urls: readonly string[]): number {
    this.check();
    return urls.filter((url) => this.#boughtRule.isBought(url)).length;
  }

  /** What is spent by now in the window of a cap: by the account, or by the watch, that spent most. */
  getSpent(name: CapName, sitemaps: Iterable<string>): number {
    this.check();
    const watches = [...sitemaps].map((sitemap) => this.#names.toName(sitemap));
    return this.#charges.caps.getSpent(
      name,
      { accounts: Object.values(SERVICE_NAMES), watches },
      toDay(this.#settings.kernel.now()),
    );
  }

  /** A crawl has a file of a sitemap: `share` of it, 1 for all. */
  delivered(path: string, response: NetResponse, share: number): void {
    const sitemap = /^\/(\w+?)(-2)?\.xml$/.exec(path)?.[1];
    const text = cutBody(response, share).toString('utf8');
    const isWhole = share === 1;
    if (sitemap === undefined || response.status !== 200 || !text.startsWith('<urlset')) return;
    const watch = this.#names.toName(sitemap);
    const run = this.#settings.findOpenRun(watch);
    const { kernel } = this.#settings;
    const more = { isWhole, at: kernel.elapsed, clock: kernel.getClock(), run, watch };
    this.listings.deliver(sitemap, path, text, more);
  }

  /** A request leaves the connector: see RequestReader. */
  sent(request: NetRequest, account: string, isRefused: boolean): void {
    this.#requests.sent(request, account, isRefused);
  }

  /** A request finds nobody who listens: see RequestReader. */
  foundNobody(request: NetRequest, account: string): void {
    this.#requests.foundNobody(request, account);
  }

  refused(request: NetRequest): void {
    this.#requests.refused(request);
  }

  answered(request: NetRequest): void {
    this.#requests.answered(request);
  }

  /** Reads the charges since it was last called. */
  check(): void {
    this.#charges.read();
  }

  /**
   * One account is in trouble, and the world has been good for long enough for the other. What may have been charged to the
   * first one waits there: bought by the other, it could be bought twice.
   */
  checkOthers(sitemaps: readonly string[], troubled: AccountName): void {
    this.check();
    this.#boughtRule.requireOthers(sitemaps, this.#requests.sends.listInDoubt(SERVICE_NAMES[troubled]));
  }

  /** The world has been good for long enough: what is listed must have been bought, and what changed bought again. */
  checkEnd(sitemaps: ReadonlySet<string>): void {
    this.check();
    this.#boughtRule.requireAll(sitemaps);
  }

  /** Pages that must have been bought by now, and were not. */
  listUnbought(sitemaps: ReadonlySet<string>): ReturnType<BoughtRule['listUnbought']> {
    this.check();
    return this.#boughtRule.listUnbought(sitemaps);
  }

  /** What is so about a page, for what is reported about it. */
  getTruth(url: string, sitemap: string, isPoisoned: boolean) {
    return {
      isListed: this.listings.find(sitemap, url, this.listings.order).isListed,
      isBought: this.#boughtRule.isBought(url),
      isCompleted: this.#boughtRule.countsAsCompleted(url),
      isDone: this.#boughtRule.isDone(url),
      isFailed: isPoisoned || this.#serviceData.listFailures(url).length > 0,
      isOpen: this.#serviceData.listJobs(url).open.length > 0,
      hasNameBack: this.#names.hasNameBack(sitemap),
    };
  }
}
