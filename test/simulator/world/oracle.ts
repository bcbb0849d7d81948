import type { DatabaseSync } from 'node:sqlite';
import type { Kernel } from '../platform/kernel.ts';
import type { NetRequest } from '../platform/network.ts';
import { FAILS, POISON, type Site } from './site.ts';

const DAY = 86_400_000;

export interface OracleSettings {
  readonly kernel: Kernel;
  /** The service's database. */
  readonly service: DatabaseSync;
  readonly site: Site;
  /** How often a failed URL may be bought again. */
  readonly retries: number;
}

interface Sent {
  readonly body: string;
  /** The highest cap that was in force when it was sent. */
  cap: number;
  /** The days, since 1970, on which it was sent. */
  readonly days: Set<number>;
}

/**
 * What the rules allow, from the rules: it reads the service's database, what the sites have listed and what was sent; never
 * the ledger.
 */
export class Oracle {
  readonly breaches: string[] = [];
  /** The most that may be spent in a day, in micro-lira. */
  cap = Number.POSITIVE_INFINITY;
  charges = 0;
  spent = 0;
  readonly #settings: OracleSettings;
  readonly #sent = new Map<string, Sent>();
  readonly #bought = new Map<string, number>();
  readonly #spentOn = new Map<number, number>();
  #lastSubmission = 0;

  constructor(settings: OracleSettings) {
    this.#settings = settings;
  }

  breach(text: string): void {
    if (this.breaches.includes(text)) return;
    this.breaches.push(text);
    this.#settings.kernel.trace(`BREACH ${text}`);
  }

  /** A request leaves the connector. */
  sent({ method, path, headers, body }: NetRequest): void {
    const key = headers['idempotency-key'];
    if (method !== 'POST' || key === undefined || !path.endsWith('/submissions')) return;
    const text = body.toString('utf8');
    const known = this.#sent.get(key);
    if (known !== undefined && known.body !== text) this.breach(`key ${key} was sent with two bodies`);
    const sent = known ?? { body: text, cap: 0, days: new Set<number>() };
    sent.cap = Math.max(sent.cap, this.cap);
    sent.days.add(this.#today());
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
        `SELECT id, idempotency_key AS key, reference, charged, created_at AS at FROM submissions WHERE id > ? ORDER BY id`,
      )
      .all(this.#lastSubmission) as { id: number; key: string; reference: string; charged: number; at: number }[];
    for (const row of rows) {
      this.#lastSubmission = row.id;
      this.#checkCharge(row);
    }
  }

  #checkCharge({ id, key, reference, charged }: { id: number; key: string; reference: string; charged: number }): void {
    this.charges += 1;
    this.spent += charged;
    const sent = this.#sent.get(key);
    if (sent === undefined) {
      this.breach(`${reference} was charged under a key that was never sent: ${key}`);
      return;
    }
    const day = Math.max(...sent.days);
    const spent = (this.#spentOn.get(day) ?? 0) + charged;
    this.#spentOn.set(day, spent);
    if (spent > sent.cap) this.breach(`${spent} was spent in a day, of at most ${sent.cap} when ${reference} was sent`);
    const urls = this.#settings.service.prepare('SELECT url FROM submission_urls WHERE submission_id = ?').all(id) as {
      url: string;
    }[];
    for (const { url } of urls) this.#checkPurchase(url, reference);
  }

  #checkPurchase(url: string, reference: string): void {
    const times = (this.#bought.get(url) ?? 0) + 1;
    this.#bought.set(url, times);
    const versions = this.#settings.site.getVersions(url);
    if (versions === 0) this.breach(`${url} was bought, and no sitemap ever listed it (${reference})`);
    const wanted = versions + (url.includes(FAILS) ? this.#settings.retries * versions : 0);
    if (times > wanted) this.breach(`${url} was bought ${times} times, at most ${wanted} are wanted (${reference})`);
  }

  /** The world has been good for long enough: what is listed must have been bought. */
  checkEnd(): void {
    for (const { url } of this.#settings.site.listAll()) {
      const times = this.#bought.get(url) ?? 0;
      if (url.includes(POISON)) {
        if (times > 0) this.breach(`${url} was bought, and the service never took it`);
      } else if (times === 0) this.breach(`${url} is listed, and was never bought`);
    }
  }
}
