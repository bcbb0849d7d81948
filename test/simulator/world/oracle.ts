import type { Kernel } from '../platform/kernel.ts';
import type { NetRequest } from '../platform/network.ts';
import { type AccountName, SERVICE_NAMES } from './account-names.ts';
import { type CapName, type Caps, CapsRule, looser, NO_CAPS, toDay } from './caps-rule.ts';
import { getAccount, type OperatorSettings } from './configuration.ts';
import { Prices } from './prices.ts';
import { FAILS, POISON, type Site } from './site.ts';
import type { Reader } from './stores.ts';
import { FORGOTTEN } from './stores.ts';
import { WatchNames } from './watch-names.ts';

/** So old may the balance be by which a floor is kept, as docs/explanation/money.md says, and a request travel. */
const BALANCE_NOTICED_MS = 660_000;

export interface OracleSettings {
  readonly kernel: Kernel;
  /** The service's database. */
  readonly service: Reader;
  readonly site: Site;
  /** How often a failed URL may be bought again. */
  readonly retries: number;
  /** Of a URL, at first, in micro-lira. */
  readonly price: number;
  /**
   * Whether the ledger has recorded an attempt of this key before the one that leaves now: its worker may have died, or found
   * no connection, before the request left. The ledger is asked for nothing else.
   */
  readonly wasTried: (key: string) => boolean;
}

interface Sent {
  readonly body: string;
  /** Whose key it was sent with, as the service calls it. */
  readonly account: string;
  /** Its name when it was first sent: caps of a watch count by its name. */
  readonly watch: string;
  /** The loosest caps and the lowest floor that were in force when it was sent. */
  caps: Caps;
  floor: number;
  /** The last day, since 1970, on which it was sent. */
  day: number;
  /** When it was last sent. */
  at: number;
  /** An attempt was not surely refused. */
  mayBeCharged: boolean;
  /** Attempts of which no worker knows that nothing was charged. */
  doubts: number;
}

/** A project of the configuration names the sitemap of its watch; the connector adds a tag. */
export const readSitemap = (project: string): string => /^Project (\w+)/.exec(project)?.[1] ?? '';

const readWatch = (body: string): string => readSitemap((JSON.parse(body) as { project?: string }).project ?? '');

interface Charge {
  readonly id: number;
  readonly subject: string;
  readonly amount: number;
  readonly balance: number;
  readonly account: string;
}

/**
 * What the rules allow, from the rules: it reads the service's database, what the sites have listed and what was sent;
 * and of the ledger only whether it had tried a batch before.
 */
export class Oracle {
  readonly breaches: string[] = [];
  charges = 0;
  /** Of all submissions, in micro-lira. */
  charged = 0;
  readonly #settings: OracleSettings;
  readonly #sent = new Map<string, Sent>();
  /** Whose key each index-check was first sent with. */
  readonly #checkedBy = new Map<string, string>();
  readonly #bought = new Map<string, number>();
  /** The version of each URL when it was last bought. */
  readonly #boughtVersion = new Map<string, number>();
  readonly #allowed = new Map<string, number>();
  readonly #capsRule = new CapsRule();
  #caps: Caps = NO_CAPS;
  readonly #names = new WatchNames();
  #floor = 0;
  #secondAccount: OperatorSettings['secondAccount'] = null;
  /** Sitemaps whose watches have changed their account. */
  readonly #changedAccount = new Set<string>();
  /** By the account, as the service calls it. */
  readonly #prices = new Map<string, Prices>();
  readonly #spentElsewhereAt = new Map<string, number>();
  readonly #keysElsewhere = new Set<string>();
  /** Jobs of another program. */
  readonly elsewhere = new Set<string>();
  #lastEntry = 0;
  /** URLs that nobody wants now, and why. */
  readonly #unwanted = new Map<string, string>();
  /** The version of each URL that was bought when the ledger was copied. */
  #boughtAtCopy: ReadonlyMap<string, number> = new Map();
  /** What index-checks cost since the ledger was copied. */
  #checksSinceCopy: { readonly account: string; readonly amount: number; readonly day: number }[] = [];
  /** Purchases when a copy of the ledger came back; null: none has. */
  #chargesAtRestore: number | null = null;
  /**
   * An operator has ended a job that the connector no longer polls, or the service never shows which URLs failed: what failed
   * is not bought again.
   */
  leftJobs = false;

  constructor(settings: OracleSettings) {
    this.#settings = settings;
  }

  breach(text: string): void {
    if (this.breaches.includes(text)) return;
    this.breaches.push(text);
    this.#settings.kernel.trace(`BREACH ${text}`);
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

  /** A run of the watch of this name has begun. */
  beginRun(watch: string): void {
    this.#capsRule.beginRun(this.#names.toSpender(watch));
  }

  changePrice(account: string, price: number): void {
    this.#getPrices(account).change(price, this.#settings.kernel.elapsed);
  }

  #getPrices(account: string): Prices {
    const prices = this.#prices.get(account) ?? new Prices(this.#settings.price);
    this.#prices.set(account, prices);
    return prices;
  }

  /** Another program of the customer spends: a floor is kept by the balance that was read before. */
  spendElsewhere(account: string): void {
    this.#spentElsewhereAt.set(account, this.#settings.kernel.elapsed);
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

  /** How long ago something was last noted of an account. */
  #getAge(at: ReadonlyMap<string, number>, account: string, when: number): number {
    return when - (at.get(account) ?? Number.NEGATIVE_INFINITY);
  }

  copyLedger(): void {
    this.check();
    this.#boughtAtCopy = new Map(this.#boughtVersion);
    this.#checksSinceCopy = [];
  }

  /**
   * The copy is back. A lost purchase counts for every lastmod that is not later than its job: a page that was bought since
   * the copy with a later one, which clocks that were set back leave, may be bought once more. No list shows index-checks: what
   * they cost since the copy counts for no cap.
   */
  restoreLedger(): void {
    this.check();
    this.#chargesAtRestore = this.charges;
    for (const { account, amount, day } of this.#checksSinceCopy) this.#capsRule.addToAccount(account, -amount, day);
    this.#checksSinceCopy = [];
    for (const [url, version] of this.#boughtVersion) {
      if (version < 2 || version === this.#boughtAtCopy.get(url)) continue;
      if (Date.parse(this.#settings.site.getNewest(url)) <= this.#readLastJob(url)) continue;
      this.#allowed.set(url, (this.#allowed.get(url) ?? 0) + 1);
    }
  }

  /** Whether nothing was bought since the last copy came back: then nothing has compared it with the service. */
  get isCopyUncompared(): boolean {
    this.check();
    return this.#chargesAtRestore === this.charges;
  }

  /** When the last job with it was created. */
  #readLastJob(url: string): number {
    const row = this.#settings.service
      .prepare(
        'SELECT max(created_at) AS at FROM submissions AS s JOIN submission_urls AS u ON u.submission_id = s.id WHERE url = ?',
      )
      .get(url);
    return (row as { at: number }).at;
  }

  /** An operator has released it: it may be bought once more, with its retries. */
  allowAgain(url: string): void {
    this.#allowed.set(url, (this.#allowed.get(url) ?? 0) + 1 + this.#settings.retries);
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
      if (this.#boughtVersion.get(url) !== this.#settings.site.getVersions(url))
        this.breach(`${url} was not bought as it is listed, although ${why}`);
    }
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

  /**
   * A request leaves the connector with the key of this account. `isRefused`: a gateway answers that surely nothing was
   * charged.
   */
  sent({ method, path, headers, body }: NetRequest, account: string, isRefused: boolean): void {
    const key = headers['idempotency-key'];
    if (method !== 'POST' || key === undefined) return;
    if (path.endsWith('/index-check')) {
      const before = this.#checkedBy.get(key) ?? account;
      if (before !== account) this.breach(`${key} was sent by two accounts, for an index-check`);
      this.#checkedBy.set(key, before);
    }
    if (!path.endsWith('/submissions')) return;
    const text = body.toString('utf8');
    const known = this.#sent.get(key);
    if (known !== undefined && known.body !== text) this.breach(`key ${key} was sent with two bodies`);
    if (known !== undefined && known.account !== account) this.breach(`key ${key} was sent by two accounts`);
    const sitemap = readWatch(text);
    // An attempt whose worker died before it read the answer is in doubt, and stays with its account.
    const isCertain = () => known?.mayBeCharged !== true && !(known === undefined && this.#settings.wasTried(key));
    if (!this.#names.hasSitemap(sitemap)) {
      if (isCertain()) this.breach(`${key} was sent for a watch that is not configured`);
    } else if (this.#toAccount(sitemap) !== account && known === undefined && isCertain())
      this.breach(`${key} was sent by ${account}, and its watch belongs to ${this.#toAccount(sitemap)}`);
    const sent = known ?? {
      body: text,
      account,
      watch: this.#names.toName(sitemap),
      caps: this.#caps,
      floor: this.#floor,
      day: 0,
      at: 0,
      mayBeCharged: false,
      doubts: 0,
    };
    // What was surely refused may have been sent under any cap.
    sent.caps = sent.mayBeCharged ? looser(sent.caps, this.#caps) : this.#caps;
    sent.floor = sent.mayBeCharged ? Math.min(sent.floor, this.#floor) : this.#floor;
    sent.mayBeCharged ||= !isRefused;
    sent.doubts += 1;
    sent.day = Math.max(sent.day, this.#today());
    sent.at = this.#settings.kernel.elapsed;
    this.#sent.set(key, sent);
  }

  /** The worker that sent a request has read, and has had the time to write down, that nothing was charged for it. */
  refused({ headers }: NetRequest): void {
    const sent = this.#sent.get(headers['idempotency-key'] ?? '');
    if (sent !== undefined) sent.doubts -= 1;
  }

  /** What may have been charged to an account, as far as its workers know. */
  #listInDoubt(account: string): ReadonlySet<string> {
    const sent = [...this.#sent.values()].filter((each) => each.account === account && each.doubts > 0);
    return new Set(sent.flatMap(({ body }) => (JSON.parse(body) as { urls: string[] }).urls));
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
      .all(this.#lastEntry) as unknown as (Charge & { readonly kind: 'charge' | 'restore' })[];
    for (const row of rows) {
      this.#lastEntry = row.id;
      const job = service
        .prepare('SELECT id, idempotency_key AS key FROM submissions WHERE reference = ?')
        .get(row.subject) as { readonly id: number; readonly key: string } | undefined;
      // Amounts of charges are negative, those of what is given back are not.
      const isElsewhere = job !== undefined && this.#keysElsewhere.has(job.key);
      if (isElsewhere) {
        this.elsewhere.add(row.subject);
        this.spendElsewhere(row.account);
      }
      if (row.kind === 'charge' && job !== undefined && !isElsewhere) this.#checkCharge(row, job);
      else {
        const other = { account: row.account, amount: -row.amount, day: this.#today() };
        this.#capsRule.addToAccount(other.account, other.amount, other.day);
        if (job === undefined) this.#checksSinceCopy.push(other);
      }
    }
  }

  #checkCharge(
    { subject, amount, balance, account }: Charge,
    { id, key }: { readonly id: number; readonly key: string },
  ): void {
    this.charges += 1;
    this.charged -= amount;
    const sent = this.#sent.get(key.replace(FORGOTTEN, ''));
    if (sent === undefined) {
      this.breach(`${subject} was charged under a key that was never sent: ${key}`);
      return;
    }
    if (sent.account !== account) this.breach(`${subject} charged ${account}, and ${sent.account} sent it`);
    const urls = this.#settings.service.prepare('SELECT url FROM submission_urls WHERE submission_id = ?').all(id) as {
      url: string;
    }[];
    const prices = this.#getPrices(account);
    const broken = this.#capsRule.spend(-amount, sent, prices.getExpected(-amount, urls.length, sent.at));
    if (!prices.mayMissRise(sent.at)) {
      for (const text of broken) this.breach(`${text}, when ${subject} was sent`);
      if (balance < sent.floor && this.#getAge(this.#spentElsewhereAt, account, sent.at) > BALANCE_NOTICED_MS)
        this.breach(`${subject} took the balance to ${balance}, below the floor of ${sent.floor}`);
    }
    for (const { url } of urls) this.#checkPurchase(url, subject, account);
  }

  #checkPurchase(url: string, reference: string, account: string): void {
    for (const name of [url, `${account} ${url}`]) this.#bought.set(name, (this.#bought.get(name) ?? 0) + 1);
    // Two watches may have it. Those of one account buy it once, those of two accounts once each.
    const isShared = this.#settings.site.listSitemaps(url).length > 1;
    const times = this.#bought.get(isShared ? `${account} ${url}` : url) ?? 0;
    const versions = this.#settings.site.getVersions(url);
    this.#boughtVersion.set(url, versions);
    const unwanted = this.#unwanted.get(url);
    if (unwanted !== undefined) this.breach(`${url} was bought, although ${unwanted} (${reference})`);
    if (versions === 0) this.breach(`${url} was bought, and no sitemap ever listed it (${reference})`);
    const allowed = versions + (this.#allowed.get(url) ?? 0);
    if (times <= allowed) return;
    // A page that the service reports as failed, also when the time of its job was up, may be bought again.
    const wanted = allowed + Math.min(this.#settings.retries * versions, this.#countFailures(url));
    if (times > wanted) this.breach(`${url} was bought ${times} times, at most ${wanted} are wanted (${reference})`);
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
        this.breach(`${url} is listed, and was not bought while another account is in trouble`);
      }
    }
  }

  /**
   * The world has been good for long enough: what is listed must have been bought, and what changed must have been
   * bought again, unless a lost ledger leaves open which change was bought.
   */
  checkEnd(sitemaps: ReadonlySet<string>, areChangesCertain: boolean): void {
    this.check();
    const { site, retries } = this.#settings;
    for (const [sitemap, { url }] of [...sitemaps].flatMap((each) =>
      site.list(each).map((page) => [each, page] as const),
    )) {
      const times = this.#countPurchases(url, sitemap);
      if (url.includes(POISON)) {
        if (times > 0) this.breach(`${url} was bought, and the service never took it`);
      } else if (times === 0) this.breach(`${url} is listed, and was never bought`);
      // One that failed as often as it may is in quarantine, also when it changes.
      else if (url.includes(FAILS) && !this.leftJobs && times <= Math.min(retries, this.#countFailures(url))) {
        this.breach(`${url} has failed, and was not bought again`);
      } else if (
        areChangesCertain &&
        !url.includes(FAILS) &&
        site.isChange(url) &&
        this.#boughtVersion.get(url) !== site.getVersions(url)
      ) {
        this.breach(`${url} has changed, and was not bought since`);
      }
    }
  }
}
