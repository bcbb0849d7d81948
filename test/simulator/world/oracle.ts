import type { DatabaseSync } from 'node:sqlite';
import type { Kernel } from '../platform/kernel.ts';
import type { NetRequest } from '../platform/network.ts';
import { FAILS, POISON, type Site } from './site.ts';

const DAY = 86_400_000;
/** A price that rises is noticed within this time, as docs/explanation/money.md says. */
const PRICE_NOTICED_MS = 3_700_000;

export interface OracleSettings {
  readonly kernel: Kernel;
  /** The service's database. */
  readonly service: DatabaseSync;
  readonly site: Site;
  /** How often a failed URL may be bought again. */
  readonly retries: number;
  /** Of a URL, at first, in micro-lira. */
  readonly price: number;
}

interface Sent {
  readonly body: string;
  /** The highest cap and the lowest floor that were in force when it was sent; null: there was no cap. */
  cap: number | null;
  floor: number;
  /** The days, since 1970, on which it was sent. */
  readonly days: Set<number>;
  /** When it was last sent. */
  at: number;
}

interface Charge {
  readonly id: number;
  readonly subject: string;
  readonly amount: number;
  readonly balance: number;
}

/**
 * What the rules allow, from the rules: it reads the service's database, what the sites have listed and what was sent;
 * never the ledger.
 */
export class Oracle {
  readonly breaches: string[] = [];
  charges = 0;
  readonly #settings: OracleSettings;
  readonly #sent = new Map<string, Sent>();
  readonly #bought = new Map<string, number>();
  /** The version of each URL when it was last bought. */
  readonly #boughtVersion = new Map<string, number>();
  readonly #allowed = new Map<string, number>();
  readonly #spentOn = new Map<number, number>();
  #cap: number | null = null;
  #floor = 0;
  #price: number;
  #roseAt = Number.NEGATIVE_INFINITY;
  #lastEntry = 0;

  constructor(settings: OracleSettings) {
    this.#settings = settings;
    this.#price = settings.price;
  }

  breach(text: string): void {
    if (this.breaches.includes(text)) return;
    this.breaches.push(text);
    this.#settings.kernel.trace(`BREACH ${text}`);
  }

  /** The configuration of all workers from now on. */
  configure({ perDay, floor }: { readonly perDay: number | null; readonly floor: number }): void {
    this.#cap = perDay;
    this.#floor = floor;
  }

  changePrice(price: number): void {
    if (price > this.#price) this.#roseAt = this.#settings.kernel.elapsed;
    this.#price = price;
  }

  /** An operator has released it: it may be bought once more, with its retries. */
  allowAgain(url: string): void {
    this.#allowed.set(url, (this.#allowed.get(url) ?? 0) + 1 + this.#settings.retries);
  }

  spentToday(): number {
    this.check();
    return this.#spentOn.get(this.#today()) ?? 0;
  }

  /** A request leaves the connector. */
  sent({ method, path, headers, body }: NetRequest): void {
    const key = headers['idempotency-key'];
    if (method !== 'POST' || key === undefined || !path.endsWith('/submissions')) return;
    const text = body.toString('utf8');
    const known = this.#sent.get(key);
    if (known !== undefined && known.body !== text) this.breach(`key ${key} was sent with two bodies`);
    const sent = known ?? { body: text, cap: this.#cap, floor: this.#floor, days: new Set<number>(), at: 0 };
    sent.cap = sent.cap === null || this.#cap === null ? null : Math.max(sent.cap, this.#cap);
    sent.floor = Math.min(sent.floor, this.#floor);
    sent.days.add(this.#today());
    sent.at = this.#settings.kernel.elapsed;
    this.#sent.set(key, sent);
  }

  #today(): number {
    return Math.floor(this.#settings.kernel.now() / DAY);
  }

  /** Reads the charges since it was last called. */
  check(): void {
    const { service } = this.#settings;
    const rows = service
      .prepare(
        `SELECT id, kind, subject, amount, balance_after AS balance FROM entries
         WHERE id > ? AND kind IN ('charge', 'restore') ORDER BY id`,
      )
      .all(this.#lastEntry) as unknown as (Charge & { readonly kind: 'charge' | 'restore' })[];
    for (const row of rows) {
      this.#lastEntry = row.id;
      const job = service
        .prepare('SELECT id, idempotency_key AS key FROM submissions WHERE reference = ?')
        .get(row.subject) as { readonly id: number; readonly key: string } | undefined;
      // Amounts of charges are negative, those of what is given back are not.
      if (row.kind === 'charge' && job !== undefined) this.#checkCharge(row, job);
      else this.#spend(this.#today(), -row.amount);
    }
  }

  #spend(day: number, amount: number): number {
    const spent = (this.#spentOn.get(day) ?? 0) + amount;
    this.#spentOn.set(day, spent);
    return spent;
  }

  #checkCharge({ subject, amount, balance }: Charge, { id, key }: { readonly id: number; readonly key: string }): void {
    this.charges += 1;
    const sent = this.#sent.get(key);
    if (sent === undefined) {
      this.breach(`${subject} was charged under a key that was never sent: ${key}`);
      return;
    }
    const spent = this.#spend(Math.max(...sent.days), -amount);
    if (sent.at - this.#roseAt > PRICE_NOTICED_MS) {
      if (sent.cap !== null && spent > sent.cap) {
        this.breach(`${spent} was spent in a day, of at most ${sent.cap} when ${subject} was sent`);
      }
      if (balance < sent.floor)
        this.breach(`${subject} took the balance to ${balance}, below the floor of ${sent.floor}`);
    }
    const urls = this.#settings.service.prepare('SELECT url FROM submission_urls WHERE submission_id = ?').all(id) as {
      url: string;
    }[];
    for (const { url } of urls) this.#checkPurchase(url, subject);
  }

  #checkPurchase(url: string, reference: string): void {
    const times = (this.#bought.get(url) ?? 0) + 1;
    this.#bought.set(url, times);
    const versions = this.#settings.site.getVersions(url);
    this.#boughtVersion.set(url, versions);
    if (versions === 0) this.breach(`${url} was bought, and no sitemap ever listed it (${reference})`);
    // A page that the service reports as failed, also when the time of its job was up, may be bought again.
    const retries = Math.min(this.#settings.retries * versions, this.#countFailures(url));
    const wanted = versions + retries + (this.#allowed.get(url) ?? 0);
    if (times > wanted) this.breach(`${url} was bought ${times} times, at most ${wanted} are wanted (${reference})`);
  }

  #countFailures(url: string): number {
    const row = this.#settings.service
      .prepare(`SELECT count(*) AS n FROM submission_urls WHERE url = ? AND status = 'failed'`)
      .get(url);
    return (row as { n: number }).n;
  }

  /**
   * The world has been good for long enough: what is listed must have been bought, and what changed must have been
   * bought again, unless a lost ledger leaves open which change was bought.
   */
  checkEnd(sitemaps: ReadonlySet<string>, areChangesCertain: boolean): void {
    this.check();
    const { site } = this.#settings;
    for (const { url } of [...sitemaps].flatMap((sitemap) => site.list(sitemap))) {
      const times = this.#bought.get(url) ?? 0;
      if (url.includes(POISON)) {
        if (times > 0) this.breach(`${url} was bought, and the service never took it`);
      } else if (times === 0) this.breach(`${url} is listed, and was never bought`);
      // One that failed as often as it may is in quarantine, also when it changes.
      else if (
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
