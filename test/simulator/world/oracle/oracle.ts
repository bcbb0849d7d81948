import type { Kernel } from '../../platform/kernel.ts';
import type { NetRequest, NetResponse } from '../../platform/network.ts';
import { type AccountName, SERVICE_NAMES } from '../account-names.ts';
import { getAccount, type OperatorSettings } from '../configuration.ts';
import { FAILS, POISON, type Site } from '../site.ts';
import { FORGOTTEN, type Reader } from '../stores.ts';
import { BaselineRule } from './baseline-rule.ts';
import { type Breach, Breaches, type Report } from './breaches.ts';
import { type CapName, type Caps, CapsRule, looser, NO_CAPS, toDay } from './caps-rule.ts';
import type { Seen } from './charges-rule.ts';
import { type CheckPolicy, CheckRule } from './check-rule.ts';
import type { Label, Purchase, Sent } from './facts.ts';
import { FloorRule } from './floor-rule.ts';
import { type GuardPolicy, GuardRule } from './guard-rule.ts';
import { KeyRule } from './key-rule.ts';
import { ListedRule } from './listed-rule.ts';
import { Listings } from './listings.ts';
import { toMoment, toVersion } from './moments.ts';
import { PRICE_NOTICED_MS, Prices } from './prices.ts';
import { PurchaseRule, type RetryRule } from './purchase-rule.ts';
import { RateRule } from './rate-rule.ts';
import { type Promised, SaidRule } from './said-rule.ts';
import { SenderRule } from './sender-rule.ts';
import { WatchNames } from './watch-names.ts';

export interface OracleSettings {
  readonly kernel: Kernel;
  /** The service's database. */
  readonly service: Reader;
  readonly site: Site;
  readonly retry: RetryRule;
  readonly notWithinMs?: number;
  readonly checks: CheckPolicy;
  readonly guard: GuardPolicy;
  /** The first run of a watch adopts what is there. */
  readonly hasBaseline?: boolean;
  /** Of a URL, at first, in micro-lira. */
  readonly price: number;
  /**
   * Whether the ledger has recorded an attempt of this key before the one that leaves now: its worker may have died, or found
   * no connection, before the request left.
   */
  readonly wasTried: (key: string) => boolean;
  /** What the ledger calls a batch that leaves for the first time. */
  readonly findLabel: (key: string) => Label;
  /** The name of the watch of an index-check that leaves for the first time. */
  readonly findCheckWatch: (key: string) => string | null;
  /** Whether the ledger has this run, and it could read every sitemap. */
  readonly isComplete: (run: string) => boolean;
  /** The run of a watch that is under way in the ledger now; null: none is. */
  readonly findOpenRun: (watch: string) => string | null;
  /** See Breaches. */
  readonly findKnown?: (breach: Breach) => string | null;
}

/** A page that the service refuses every time. */
const TAKEN = 'was bought, and the service never took it';

interface Wrong {
  readonly url: string;
  readonly sitemap: string;
  readonly cause: string;
}

/** So long ago must crawls have seen that a page is gone. */
const GONE_MS = 3_600_000;

/** A project of the configuration names the sitemap of its watch; the connector adds a tag. */
export const readSitemap = (project: string): string => /^Project (\w+)/.exec(project)?.[1] ?? '';

/** An index-check that was sent. See Sent. */
interface SentCheck extends Pick<Sent, 'account' | 'caps' | 'floor' | 'day' | 'since' | 'mayBeCharged'> {
  readonly watch: string | null;
}

interface Spent {
  readonly account: string;
  readonly watch: string | null;
  readonly amount: number;
  readonly day: number;
}

interface Entry {
  readonly id: number;
  readonly kind: 'charge' | 'restore';
  readonly subject: string;
  readonly amount: number;
  readonly balance: number;
  readonly account: string;
}

/**
 * Collects what happened, and shows it to the rules, which are written from the promises: it reads the service's database, what
 * the sites gave to crawls and what was sent; and of the ledger only what it calls a batch, and whether it had tried it before.
 */
export class Oracle {
  readonly listings = new Listings();
  readonly rates: RateRule;
  charges = 0;
  /** Of all submissions, in micro-lira. */
  charged = 0;
  readonly #settings: OracleSettings;
  readonly #breaches: Breaches;
  readonly #sent = new Map<string, Sent>();
  readonly #sentChecks = new Map<string, SentCheck>();
  readonly #keyRule: KeyRule;
  readonly #senderRule: SenderRule;
  readonly #capsRule: CapsRule;
  readonly #floorRule: FloorRule;
  readonly #purchaseRule: PurchaseRule;
  readonly #checkRule: CheckRule;
  readonly #listedRule: ListedRule;
  readonly #saidRule: SaidRule;
  readonly #guardRule: GuardRule;
  readonly #baselineRule: BaselineRule;
  /** By URL, and by account and URL. */
  readonly #bought = new Map<string, number>();
  #caps: Caps = NO_CAPS;
  readonly #names = new WatchNames();
  #floor = 0;
  #secondAccount: OperatorSettings['secondAccount'] = null;
  /** Sitemaps whose watches have changed their account. */
  readonly #changedAccount = new Set<string>();
  /** By the account, as the service calls it. */
  readonly #prices = new Map<string, Prices>();
  readonly #keysElsewhere = new Set<string>();
  /** Jobs of another program. */
  readonly elsewhere = new Set<string>();
  #lastEntry = 0;
  readonly #sentByReference = new Map<string, Sent>();
  /** Jobs and index-checks that a copy of the ledger lacked: by reference, and by key. */
  readonly #lostReferences = new Set<string>();
  readonly #lostChecks = new Set<string>();
  #checkKeysSinceCopy: string[] = [];
  /** URLs that nobody wants now, and why. */
  readonly #unwanted = new Map<string, string>();
  /** Since the ledger was copied. */
  #purchasesSinceCopy: Purchase[] = [];
  #checksSinceCopy: Spent[] = [];
  readonly #spentByChecks = new Map<string, Spent>();
  /** The latest job that a copy of the ledger lacked of each URL. */
  readonly #lostJobs = new Map<string, number>();
  /** Purchases when a copy of the ledger came back; null: none has. */
  #chargesAtRestore: number | null = null;
  /** Pages of jobs that an operator has ended: what failed of them is not bought again. */
  readonly #left = new Set<string>();
  /** The service never shows which URLs failed: what failed is not bought again. */
  hidesFailures = false;

  constructor(settings: OracleSettings) {
    this.#settings = settings;
    const { kernel, findKnown, retry, notWithinMs = 0, site } = settings;
    this.#breaches = new Breaches({
      trace: (line) => kernel.trace(line),
      ...(findKnown === undefined ? {} : { findKnown }),
    });
    const report = (rule: string) => this.#breaches.toReport(rule);
    const { listings } = this;
    this.#keyRule = new KeyRule(report('one body, one account'));
    this.#senderRule = new SenderRule(report('sender'));
    this.#capsRule = new CapsRule(report('caps'));
    this.#floorRule = new FloorRule(report('floor'));
    this.#saidRule = new SaidRule(report('said before'));
    this.rates = new RateRule(report('rates'));
    this.#listedRule = new ListedRule(report('listed'), listings);
    this.#checkRule = new CheckRule({
      ...{ report: report('index-checks'), policy: settings.checks },
      readCompleted: (url) => this.#readCompleted(url),
      countCompleted: () => this.#countCompleted(),
      wasFound: (url, check) => this.#wasFound(url, check),
      getLatestTime: () => kernel.getLatestTime(0),
      isLongGone: (url) => listings.isGoneSince(url, kernel.elapsed - GONE_MS),
    });
    this.#baselineRule = new BaselineRule(report('baseline'), listings);
    this.#guardRule = new GuardRule({
      ...{ report: report('guards'), listings, policy: settings.guard, isComplete: settings.isComplete },
      hasBought: (url, version) => this.#purchaseRule.hasBought(url, version),
    });
    this.#purchaseRule = new PurchaseRule({
      ...{ report: report('each version once'), listings, retry, notWithinMs },
      readFailure: (reference, url) => this.#readFailure(reference, url),
      readCreated: (reference) => this.#readCreated(reference),
      getLatestTime: () => kernel.getLatestTime(0),
      isShared: (url) => site.listSitemaps(url).length > 1,
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

  /** The configuration of all workers from now on. */
  configure({
    caps,
    floor,
    watches,
    secondAccount,
  }: Pick<OperatorSettings, 'caps' | 'floor' | 'watches' | 'secondAccount'>): void {
    this.#secondAccount = secondAccount;
    this.#names.configure(watches);
    this.#caps = caps;
    this.#floor = floor;
  }

  changePrice(account: string, price: number): void {
    this.#getPrices(account).change(price, this.#settings.kernel.elapsed);
  }

  #getPrices(account: string): Prices {
    const prices = this.#prices.get(account) ?? new Prices(this.#settings.price);
    this.#prices.set(account, prices);
    return prices;
  }

  /** Another program of the customer spends so much. */
  spendElsewhere(account: string, amount: number): void {
    this.#floorRule.spendElsewhere(account, amount, this.#settings.kernel.elapsed);
  }

  /** Another program of the customer submits pages under this key: they are not bought for us, and its job is none of ours. */
  expectElsewhere(key: string): void {
    this.#keysElsewhere.add(key);
  }

  /** The watch of a sitemap belongs to another account: what it has bought stays bought. */
  changeAccount(sitemap: string): void {
    this.#changedAccount.add(sitemap);
  }

  /** The account of the watch of a sitemap now, as the service calls it. */
  #toAccount(sitemap: string): string {
    return SERVICE_NAMES[getAccount({ secondAccount: this.#secondAccount }, sitemap)];
  }

  copyLedger(): void {
    this.check();
    this.#checkRule.copied();
    this.#purchasesSinceCopy = [];
    this.#checksSinceCopy = [];
    this.#checkKeysSinceCopy = [];
  }

  /** The copy is back. No list shows index-checks: what they cost since the copy counts for no cap. */
  restoreLedger(): void {
    this.check();
    this.#chargesAtRestore = this.charges;
    for (const spent of this.#checksSinceCopy) this.#capsRule.add({ ...spent, amount: -spent.amount });
    this.#checksSinceCopy = [];
    this.#checkRule.restored();
    for (const key of this.#checkKeysSinceCopy) this.#lostChecks.add(key);
    this.#checkKeysSinceCopy = [];
    this.#purchaseRule.lose(this.#purchasesSinceCopy);
    for (const { urls, reference } of this.#purchasesSinceCopy) {
      this.#lostReferences.add(reference);
      const created = this.#readCreated(reference);
      for (const url of urls) this.#lostJobs.set(url, Math.max(created, this.#lostJobs.get(url) ?? 0));
    }
    this.#purchasesSinceCopy = [];
  }

  /** Whether nothing was bought since the last copy came back: then nothing has compared it with the service. */
  get isCopyUncompared(): boolean {
    this.check();
    return this.#chargesAtRestore === this.charges;
  }

  #readCreated(reference: string): number {
    const row = this.#settings.service
      .prepare('SELECT created_at AS at FROM submissions WHERE reference = ?')
      .get(reference);
    return (row as { at: number } | undefined)?.at ?? 0;
  }

  #readFailure(reference: string, url: string): number | null {
    const row = this.#settings.service
      .prepare(
        `SELECT coalesce(u.updated_at, s.finished_at, s.created_at) AS at FROM submission_urls AS u
         JOIN submissions AS s ON s.id = u.submission_id WHERE s.reference = ? AND u.url = ? AND u.status = 'failed'`,
      )
      .get(reference, url);
    return (row as { at: number } | undefined)?.at ?? null;
  }

  /** An operator has ended a job that the connector no longer polls. */
  leave(reference: string): void {
    for (const url of this.#listUrls(reference)) this.#left.add(url);
  }

  #listUrls(reference: string): readonly string[] {
    const rows = this.#settings.service
      .prepare(
        'SELECT u.url FROM submission_urls AS u JOIN submissions AS s ON s.id = u.submission_id WHERE s.reference = ?',
      )
      .all(reference);
    return (rows as unknown as { readonly url: string }[]).map(({ url }) => url);
  }

  /** An operator has released it from quarantine. */
  allowAgain(url: string): void {
    this.check();
    this.#purchaseRule.release(url);
  }

  /** Somebody approves a run. */
  approved(run: string): void {
    this.#guardRule.approved(run);
  }

  /** Who decided about a run was shown what it costs and buys. */
  said(promise: Promised): void {
    this.#saidRule.said(promise);
  }

  /** From now on nobody wants these URLs, or does again. */
  setUnwanted(urls: readonly string[], why: string | null): void {
    this.check();
    for (const url of urls) {
      if (why === null) this.#unwanted.delete(url);
      else this.#unwanted.set(url, why);
    }
  }

  /** These URLs must have been bought by now, as they are listed now. */
  requireBought(urls: readonly string[], why: string): void {
    this.check();
    for (const url of urls) {
      if (!this.#isBoughtAsListed(url))
        this.breach(`${url} was not bought as it is listed, although ${why}`, { rule: 'bought', url });
    }
  }

  toReport(rule: string): Report {
    return this.#breaches.toReport(rule);
  }

  /** How a job was bought; null: a copy of the ledger lacked it. */
  findSeen(reference: string): Seen | null {
    const sent = this.#sentByReference.get(reference);
    if (sent === undefined || this.#lostReferences.has(reference)) return null;
    const { watch, label, firstDay, day, answeredDay } = sent;
    // One whose answer was lost is found in the list at any later time.
    const lastDay = answeredDay === null ? toDay(this.#settings.kernel.getLatestTime(0)) : Math.max(day, answeredDay);
    return { watch, run: label.run, firstDay, lastDay };
  }

  /** A copy of the ledger lacks this index-check, by its key. */
  isLostCheck(key: string): boolean {
    return this.#lostChecks.has(key);
  }

  /** How many of these URLs were bought by now. */
  countBought(urls: readonly string[]): number {
    this.check();
    return urls.filter((url) => this.#bought.has(url)).length;
  }

  /** What is spent by now in the window of a cap: by the account, or by the watch, that spent most. */
  getSpent(name: CapName, sitemaps: Iterable<string>): number {
    this.check();
    const watches = [...sitemaps].map((sitemap) => this.#names.toName(sitemap));
    return this.#capsRule.getSpent(name, { accounts: Object.values(SERVICE_NAMES), watches }, this.#today());
  }

  /** A crawl has a file of a sitemap; `isWhole`: all of it. */
  delivered(path: string, { status, body }: NetResponse, isWhole: boolean): void {
    const sitemap = /^\/(\w+?)(-2)?\.xml$/.exec(path)?.[1];
    const text = body.toString('utf8', 0, isWhole ? body.length : Math.floor(body.length / 2));
    if (sitemap === undefined || status !== 200 || !text.startsWith('<urlset')) return;
    const watch = this.#names.toName(sitemap);
    const run = this.#settings.findOpenRun(watch);
    this.listings.deliver(sitemap, path, text, { isWhole, at: this.#settings.kernel.elapsed, run, watch });
  }

  /**
   * A request leaves the connector with the key of this account. `isRefused`: a gateway answers that surely nothing was
   * charged.
   */
  sent({ method, path, headers, body }: NetRequest, account: string, isRefused: boolean): void {
    const key = headers['idempotency-key'];
    if (method !== 'POST' || key === undefined) return;
    const text = body.toString('utf8');
    this.#keyRule.sent(key, account, text);
    if (path.endsWith('/submissions')) this.#sentBatch(key, text, account, isRefused);
    else if (path.endsWith('/index-check')) this.#sentCheck(key, account, isRefused);
  }

  #sentCheck(key: string, account: string, isRefused: boolean): void {
    const { elapsed } = this.#settings.kernel;
    const watch = this.#settings.findCheckWatch(key);
    const sent: SentCheck = this.#sentChecks.get(key) ?? {
      ...{ account, watch: watch === null ? null : this.#names.toSpender(watch) },
      ...{ caps: this.#caps, floor: this.#floor, day: 0, since: elapsed, mayBeCharged: false },
    };
    this.#note(sent, isRefused);
    this.#sentChecks.set(key, sent);
  }

  /** Another attempt: what was surely refused may have been sent under any cap. */
  #note(sent: Pick<Sent, 'caps' | 'floor' | 'day' | 'since' | 'mayBeCharged'>, isRefused: boolean): void {
    sent.caps = sent.mayBeCharged ? looser(sent.caps, this.#caps) : this.#caps;
    sent.floor = sent.mayBeCharged ? Math.min(sent.floor, this.#floor) : this.#floor;
    if (!sent.mayBeCharged) sent.since = this.#settings.kernel.elapsed;
    sent.mayBeCharged ||= !isRefused;
    sent.day = Math.max(sent.day, this.#today());
  }

  #sentBatch(key: string, body: string, account: string, isRefused: boolean): void {
    const known = this.#sent.get(key);
    const { urls, project = '' } = JSON.parse(body) as { urls: string[]; project?: string };
    const sitemap = readSitemap(project);
    this.#senderRule.sent({
      ...{ key, account, isRepeat: known !== undefined },
      owner: this.#names.hasSitemap(sitemap) ? this.#toAccount(sitemap) : null,
      // An attempt whose worker died before it read the answer is in doubt.
      mayBeCharged: known?.mayBeCharged ?? this.#settings.wasTried(key),
    });
    const { elapsed } = this.#settings.kernel;
    const sent: Sent = known ?? {
      ...{ key, body, urls, account, sitemap },
      watch: this.#names.toName(sitemap),
      label: this.#settings.findLabel(key),
      ...{ caps: this.#caps, floor: this.#floor, firstDay: this.#today(), day: 0, since: elapsed, at: elapsed },
      ...{ sentAfter: 0, mayBeCharged: false, doubts: 0, answeredAt: null, answeredDay: null },
    };
    const label = known === undefined ? sent.label : this.#settings.findLabel(key);
    sent.label = sent.mayBeCharged ? { ...sent.label, run: label.run } : label;
    if (!sent.mayBeCharged) sent.sentAfter = this.listings.order;
    this.#note(sent, isRefused);
    sent.doubts += 1;
    sent.firstDay = Math.min(sent.firstDay, this.#today());
    sent.at = elapsed;
    this.#sent.set(key, sent);
  }

  /** The worker that sent a request has read, and has had the time to write down, that nothing was charged for it. */
  refused({ headers }: NetRequest): void {
    const sent = this.#sent.get(headers['idempotency-key'] ?? '');
    if (sent !== undefined) sent.doubts -= 1;
  }

  /** The worker that sent a request has read, and has had the time to write down, what it was charged. */
  answered({ headers }: NetRequest): void {
    const sent = this.#sent.get(headers['idempotency-key'] ?? '');
    if (sent === undefined || sent.answeredAt !== null) return;
    sent.answeredAt = this.#settings.kernel.elapsed;
    sent.answeredDay = this.#today();
  }

  /** What may have been charged to an account, as far as its workers know. */
  #listInDoubt(account: string): ReadonlySet<string> {
    const sent = [...this.#sent.values()].filter((each) => each.account === account && each.doubts > 0);
    return new Set(sent.flatMap(({ urls }) => urls));
  }

  #today(): number {
    return toDay(this.#settings.kernel.now());
  }

  /** Reads the charges since it was last called. */
  check(): void {
    const { service } = this.#settings;
    const rows = service
      .prepare(
        `SELECT e.id, e.kind, e.subject, e.amount, e.balance_after AS balance, a.name AS account
         FROM entries AS e JOIN accounts AS a ON a.id = e.account_id
         WHERE e.id > ? AND e.kind IN ('charge', 'restore') ORDER BY e.id`,
      )
      .all(this.#lastEntry) as unknown as Entry[];
    for (const entry of rows) {
      this.#lastEntry = entry.id;
      const job = service
        .prepare('SELECT idempotency_key AS key FROM submissions WHERE reference = ?')
        .get(entry.subject) as { readonly key: string } | undefined;
      // Amounts of charges are negative, those of what is given back are not.
      if (entry.kind === 'charge' && job !== undefined && !this.#keysElsewhere.has(job.key)) {
        this.#checkCharge(entry, job);
        continue;
      }
      if (job !== undefined && this.#keysElsewhere.has(job.key)) {
        this.elsewhere.add(entry.subject);
        this.spendElsewhere(entry.account, -entry.amount);
      }
      if (job === undefined) {
        if (entry.kind === 'charge') this.#checkCheck(entry);
        else this.#giveBack(entry);
        continue;
      }
      this.#capsRule.add({ account: entry.account, watch: null, amount: -entry.amount, day: this.#today() });
    }
  }

  /** An index-check was charged. */
  #checkCheck({ subject: id, account, amount: negative, balance }: Entry): void {
    const row = this.#settings.service
      .prepare('SELECT idempotency_key AS key, urls FROM index_checks WHERE id = ?')
      .get(id) as { readonly key: string | null; readonly urls: string } | undefined;
    const sent = this.#sentChecks.get(row?.key ?? '');
    const amount = -negative;
    if (row === undefined || sent === undefined) {
      this.breach(`${id} was charged for an index-check that was never sent`, { rule: 'sender', account });
      return;
    }
    const { watch, caps, floor, day, since } = sent;
    const at = this.#settings.kernel.elapsed;
    const charge = { account, amount, expected: amount, what: id, kind: 'check', knownAt: () => at } as const;
    this.#capsRule.spend({ ...charge, watch, run: null, caps, day, at: since });
    this.#floorRule.charged({ ...charge, balance, floor, since, at });
    const urls = JSON.parse(row.urls) as readonly string[];
    this.#checkRule.charged({ id, account, amount, balance, urls, at }, watch ?? '', day);
    const spent = { account, watch, amount, day };
    this.#spentByChecks.set(id, spent);
    this.#checksSinceCopy.push(spent);
    this.#checkKeysSinceCopy.push(row.key!);
  }

  /** The service has given the charge of an index-check back. */
  #giveBack({ subject, account, amount }: Entry): void {
    const spent = this.#spentByChecks.get(subject) ?? { account, watch: null, amount: 0, day: this.#today() };
    this.#capsRule.add({ ...spent, amount: -amount });
    this.#checksSinceCopy.push({ ...spent, amount: -amount });
    if (spent.watch !== null) this.#checkRule.givenBack(amount, spent.watch, spent.day);
  }

  #checkCharge(
    { subject: reference, amount: negative, balance, account }: Entry,
    { key }: { readonly key: string },
  ): void {
    const amount = -negative;
    this.charges += 1;
    this.charged += amount;
    const sent = this.#sent.get(key.replace(FORGOTTEN, ''));
    if (sent === undefined) {
      this.breach(`${reference} was charged under a key that was never sent: ${key}`, { rule: 'sender', account });
      return;
    }
    if (sent.account !== account)
      this.breach(`${reference} charged ${account}, and ${sent.account} sent it`, { rule: 'sender', account });
    const urls = this.#listUrls(reference);
    const at = this.#settings.kernel.elapsed;
    const expected = this.#getPrices(account).getExpected(amount, urls.length, sent.since);
    const knownAt = () => sent.answeredAt ?? sent.at + PRICE_NOTICED_MS;
    const charge = { account, amount, expected, what: reference, kind: 'batch', knownAt } as const;
    this.#capsRule.spend({
      ...{ ...charge, watch: sent.watch, run: sent.label.run, caps: sent.caps, day: sent.day, at: sent.since },
    });
    this.#floorRule.charged({ ...charge, balance, floor: sent.floor, since: sent.since, at });
    const purchase: Purchase = { reference, account, amount, balance, urls, sent, at };
    this.#guardRule.purchased(purchase);
    if (this.#settings.hasBaseline === true) this.#baselineRule.purchased(purchase);
    this.#purchaseRule.purchased(purchase);
    this.#listedRule.purchased(purchase);
    this.#saidRule.purchased(purchase);
    this.#purchasesSinceCopy.push(purchase);
    this.#sentByReference.set(reference, sent);
    for (const url of urls) this.#notePurchase(url, reference, account);
  }

  #notePurchase(url: string, reference: string, account: string): void {
    for (const name of [url, `${account} ${url}`]) this.#bought.set(name, (this.#bought.get(name) ?? 0) + 1);
    const unwanted = this.#unwanted.get(url);
    if (unwanted !== undefined)
      this.breach(`${url} was bought, although ${unwanted} (${reference})`, { rule: 'unwanted', url });
  }

  #readCompleted(url: string): number | null {
    const row = this.#settings.service
      .prepare(
        `SELECT max(coalesce(u.updated_at, s.finished_at)) AS at FROM submission_urls AS u
         JOIN submissions AS s ON s.id = u.submission_id
         WHERE u.url = ? AND coalesce(u.status, s.status) = 'completed'`,
      )
      .get(url);
    return (row as { readonly at: number | null }).at;
  }

  #countCompleted(): number {
    const row = this.#settings.service
      .prepare(
        `SELECT count(DISTINCT u.url) AS n FROM submission_urls AS u JOIN submissions AS s ON s.id = u.submission_id
         WHERE coalesce(u.status, s.status) = 'completed'`,
      )
      .get();
    return (row as { readonly n: number }).n;
  }

  #wasFound(url: string, check: string): boolean {
    const row = this.#settings.service.prepare('SELECT urls, results FROM index_checks WHERE id = ?').get(check);
    const { urls, results } = (row ?? { urls: '[]', results: null }) as {
      readonly urls: string;
      readonly results: string | null;
    };
    const findings = JSON.parse(results ?? '[]') as readonly { readonly found: boolean | null }[];
    return findings[(JSON.parse(urls) as string[]).indexOf(url)]?.found === true;
  }

  #countFailures(url: string): number {
    const row = this.#settings.service
      .prepare(`SELECT count(*) AS n FROM submission_urls WHERE url = ? AND status = 'failed'`)
      .get(url);
    return (row as { n: number }).n;
  }

  /** Those that count for a watch: of its account, unless a watch that ever listed the page had another one before. */
  #countPurchases(url: string, sitemap: string): number {
    const name = this.#settings.site.listSitemaps(url).some((each) => this.#changedAccount.has(each))
      ? url
      : `${this.#toAccount(sitemap)} ${url}`;
    return this.#bought.get(name) ?? 0;
  }

  /**
   * One account is in trouble, and the world has been good for long enough for the other. What may have been charged to the
   * first one waits there: bought by the other, it could be bought twice.
   */
  checkOthers(sitemaps: readonly string[], troubled: AccountName): void {
    this.check();
    const inDoubt = this.#listInDoubt(SERVICE_NAMES[troubled]);
    for (const sitemap of sitemaps) {
      for (const { url } of this.#settings.site.list(sitemap)) {
        if (url.includes(POISON) || inDoubt.has(url) || this.#countPurchases(url, sitemap) > 0) continue;
        this.breach(`${url} is listed, and was not bought while another account is in trouble`, {
          rule: 'bought',
          url,
        });
      }
    }
  }

  /** The world has been good for long enough: what is listed must have been bought, and what changed bought again. */
  checkEnd(sitemaps: ReadonlySet<string>): void {
    for (const { url, sitemap, cause } of this.#findWrong(sitemaps))
      this.breach(`${url} ${cause}`, {
        ...{ rule: 'bought', url, watch: this.#names.toName(sitemap) },
        cause,
      });
  }

  /** Pages that must have been bought by now, and were not. */
  listUnbought(sitemaps: ReadonlySet<string>): readonly string[] {
    return this.#findWrong(sitemaps)
      .filter(({ cause }) => cause !== TAKEN)
      .map(({ url }) => url);
  }

  #findWrong(sitemaps: ReadonlySet<string>): Wrong[] {
    this.check();
    const listed = [...sitemaps].flatMap((sitemap) =>
      this.#settings.site.list(sitemap).map((page) => ({ ...page, sitemap })),
    );
    return listed.flatMap(({ url, lastmod, sitemap }) => {
      const cause = this.#findCause(url, lastmod, sitemap);
      return cause === null ? [] : [{ url, sitemap, cause }];
    });
  }

  /** What is wrong about a page at the end; null: nothing is. */
  #findCause(url: string, lastmod: string | null, sitemap: string): string | null {
    const { site, retry, hasBaseline = false } = this.#settings;
    if (hasBaseline && this.#baselineRule.isAdopted(sitemap, url, lastmod)) return null;
    const times = this.#countPurchases(url, sitemap);
    if (url.includes(POISON)) return times > 0 ? TAKEN : null;
    if (times === 0) return 'is listed, and was never bought';
    // One that failed as often as it may is in quarantine, also when it changes.
    if (url.includes(FAILS)) {
      const isDue =
        !this.hidesFailures && !this.#left.has(url) && times <= Math.min(retry.times, this.#countFailures(url));
      return isDue ? 'has failed, and was not bought again' : null;
    }
    const isDue = site.isChange(url) && !this.#isBoughtAsListed(url) && !this.#isCoveredByLostJob(url, lastmod);
    return isDue ? 'has changed, and was not bought since' : null;
  }

  /** What is so about a page, for what is reported about it. */
  getTruth(url: string, sitemap: string, isPoisoned: boolean) {
    const open = this.#settings.service
      .prepare(
        `SELECT 1 FROM submission_urls AS u JOIN submissions AS s ON s.id = u.submission_id
         WHERE u.url = ? AND s.status IN ('queued', 'processing')`,
      )
      .get(url);
    return {
      isListed: this.listings.find(sitemap, url, this.listings.order).isListed,
      isBought: this.#bought.has(url),
      // A page without a result in an ended job counts as bought: who ends a job decides so, and some services show none.
      isCompleted: this.#readCompleted(url) !== null || this.#left.has(url) || this.hidesFailures,
      isFailed: isPoisoned || this.#countFailures(url) > 0,
      isOpen: open !== undefined,
    };
  }

  #isBoughtAsListed(url: string): boolean {
    const lastmod = this.#settings.site.getLastmod(url);
    return lastmod !== undefined && this.#purchaseRule.hasBought(url, toVersion(lastmod));
  }

  /** A job that a copy of the ledger lacks counts as the purchase of every lastmod that is not later than its creation. */
  #isCoveredByLostJob(url: string, lastmod: string | null): boolean {
    const created = this.#lostJobs.get(url);
    return created !== undefined && (toMoment(toVersion(lastmod)) ?? 0) <= created;
  }
}
