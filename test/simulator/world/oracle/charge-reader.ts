import type { ServiceLevel } from '../../../../contract/states.ts';
import type { Kernel } from '../../platform/kernel.ts';
import { getLevelPrice, LEVELS, type Price } from '../levels.ts';
import { FORGOTTEN } from '../stores.ts';
import type { Report } from './breaches.ts';
import { CapsRule, toDay } from './caps-rule.ts';
import type { Seen } from './charges-rule.ts';
import type { Copies } from './copies.ts';
import type { CheckCharge, Purchase } from './facts.ts';
import { FloorRule } from './floor-rule.ts';
import { PRICE_NOTICED_MS, Prices } from './prices.ts';
import type { Sends } from './sends.ts';
import type { Entry, ServiceData } from './service-data.ts';

export interface ChargeReaderSettings {
  readonly kernel: Kernel;
  readonly toReport: (rule: string) => Report;
  readonly serviceData: ServiceData;
  readonly sends: Sends;
  readonly copies: Copies;
  /** Of a URL, at first, in micro-lira. */
  readonly price: Price;
  readonly onPurchase: (purchase: Purchase) => void;
  /** `watch`: by the name under which it spends; `day`: since 1970. */
  readonly onCheck: (charge: CheckCharge, watch: string, day: number) => void;
  readonly onCheckGivenBack: (amount: number, watch: string, day: number) => void;
}

const DAY = 86_400_000;

/** Reads what the service has charged, and shows it to the rules of caps and the floor. */
export class ChargeReader {
  /** Of our submissions: how many, and their sum in micro-lira. */
  count = 0;
  sum = 0;
  readonly caps: CapsRule;
  /** By reference. */
  readonly #purchases = new Map<string, Purchase>();
  /** Jobs of another program. */
  readonly elsewhere = new Set<string>();
  readonly #settings: ChargeReaderSettings;
  readonly #report: Report;
  readonly #floor: FloorRule;
  /** By the account, as the service calls it, and the level. */
  readonly #prices = new Map<string, Prices>();
  readonly #keysElsewhere = new Set<string>();
  readonly #spentByChecks = new Map<string, { readonly watch: string | null; readonly day: number }>();
  /** Index-checks that were given back before their charge was read here. */
  readonly #restored = new Set<string>();
  #lastEntry = 0;

  constructor(settings: ChargeReaderSettings) {
    this.#settings = settings;
    this.caps = new CapsRule(settings.toReport('caps'));
    this.#floor = new FloorRule(settings.toReport('floor'));
    this.#report = settings.toReport('sender');
  }

  changePrice(account: string, price: Price): void {
    for (const level of LEVELS)
      this.#getPrices(account, level).change(getLevelPrice(price, level), this.#settings.kernel.elapsed);
  }

  /** A worker asks for the prices of an account, or has read them. */
  notePrices(account: string, how: 'asked' | 'shown'): void {
    for (const level of LEVELS) this.#getPrices(account, level)[how](this.#settings.kernel.elapsed);
  }

  #getPrices(account: string, level: ServiceLevel): Prices {
    const name = `${account} ${level}`;
    const prices = this.#prices.get(name) ?? new Prices(getLevelPrice(this.#settings.price, level));
    this.#prices.set(name, prices);
    return prices;
  }

  /** What a URL ever cost, at any level of any account: the least and the most. */
  getPriceRange(): readonly [number, number] {
    const { price } = this.#settings;
    const all = [
      ...LEVELS.map((level) => getLevelPrice(price, level)),
      ...[...this.#prices.values()].flatMap((prices) => prices.list()),
    ];
    return [Math.min(...all), Math.max(...all)];
  }

  /** Another program of the customer spends so much. */
  spendElsewhere(account: string, amount: number): void {
    this.#floor.spendElsewhere(account, amount, this.#settings.kernel.elapsed);
  }

  /** Another program of the customer submits pages under this key. */
  expectElsewhere(key: string): void {
    this.#keysElsewhere.add(key);
  }

  /** Reads on from where it was last called. */
  read(): void {
    const { serviceData } = this.#settings;
    for (const entry of serviceData.listEntriesSince(this.#lastEntry)) {
      this.#lastEntry = entry.id;
      const key = serviceData.readKey(entry.subject);
      if (key === null) this.#readCheck(entry);
      else if (this.#keysElsewhere.has(key)) this.#noteElsewhere(entry);
      else if (entry.kind === 'charge') this.#readCharge(entry, key);
      else this.caps.add({ account: entry.account, watch: null, amount: -entry.amount, day: this.#today() });
    }
  }

  #today(): number {
    return toDay(this.#settings.kernel.now());
  }

  /** It counts for the caps of the account, and breaks none. */
  #noteElsewhere({ subject, account, amount }: Entry): void {
    this.elsewhere.add(subject);
    this.spendElsewhere(account, -amount);
    this.caps.add({ account, watch: null, amount: -amount, day: this.#today() });
  }

  #readCheck(entry: Entry): void {
    const { subject: id, account, amount: negative, balance } = entry;
    if (entry.kind === 'restore') {
      this.#readGivenBack(entry);
      return;
    }
    const { serviceData, sends, copies, onCheck, kernel } = this.#settings;
    const booked = serviceData.findCheck(id);
    if (booked?.isRestored === true) {
      this.#restored.add(id);
      return;
    }
    const sent = sends.findCheck(booked?.key ?? '');
    if (booked === null || sent === undefined) {
      this.#report(`${id} was charged for an index-check that was never sent`, { account });
      return;
    }
    const { watch, caps, floor, day, since } = sent;
    const at = kernel.elapsed;
    const amount = -negative;
    const charge = { account, amount, expected: amount, what: id, kind: 'check', knownAt: () => at } as const;
    this.caps.spend({ ...charge, watch, run: null, caps, day, at: since });
    this.#floor.charged({ ...charge, balance, floor, since, at });
    onCheck({ id, account, amount, balance, urls: booked.urls, at }, watch ?? '', day);
    this.#spentByChecks.set(id, { watch, day });
    copies.spent({ account, watch, amount, day }, booked.key);
  }

  /** The charge of an index-check. */
  #readGivenBack({ subject, account, amount }: Entry): void {
    if (this.#restored.has(subject)) return;
    const { watch, day } = this.#spentByChecks.get(subject) ?? { watch: null, day: this.#today() };
    this.caps.add({ account, watch, amount: -amount, day });
    this.#settings.copies.spent({ account, watch, amount: -amount, day });
    if (watch !== null) this.#settings.onCheckGivenBack(amount, watch, day);
  }

  #readCharge({ subject: reference, amount: negative, balance, account }: Entry, key: string): void {
    const amount = -negative;
    this.count += 1;
    this.sum += amount;
    const { sends, serviceData, kernel, copies, onPurchase } = this.#settings;
    const sent = sends.findBatch(key.replace(FORGOTTEN, ''));
    if (sent === undefined) {
      this.#report(`${reference} was charged under a key that was never sent: ${key}`, { account });
      return;
    }
    if (sent.account !== account)
      this.#report(`${reference} charged ${account}, and ${sent.account} sent it`, { account });
    const urls = serviceData.listUrls(reference);
    const at = kernel.elapsed;
    const { watch, label, caps, floor, day, since, level } = sent;
    const expected = this.#getPrices(account, level).getExpected(amount, urls.length, since);
    const knownAt = () => sent.answeredAt ?? sent.at + PRICE_NOTICED_MS;
    const charge = { account, amount, expected, what: reference, kind: 'batch', knownAt } as const;
    this.caps.spend({ ...charge, watch, run: label.run, caps, day, at: since });
    this.#floor.charged({ ...charge, balance, floor, since, at });
    // What a later attempt changes is no fact of this purchase; who answers it is.
    const purchase: Purchase = { reference, account, amount, balance, urls, sent, at };
    onPurchase(purchase);
    copies.bought(purchase);
    this.#purchases.set(reference, purchase);
  }

  /** The key under which a job was bought; null: it is none of ours. */
  findKey(reference: string): string | null {
    return this.#purchases.get(reference)?.sent.key ?? null;
  }

  /** How a job or an index-check was bought, by its reference or key; null: a copy of the ledger lacked it. */
  findSeen(kind: 'batch' | 'check', name: string): Seen | null {
    const { copies, sends } = this.#settings;
    const isLost = kind === 'batch' ? copies.isLostJob(name) : copies.isLostCheck(name);
    const sent = kind === 'batch' ? this.#purchases.get(name)?.sent : sends.findCheck(name);
    if (sent === undefined || sent.watch === null || isLost) return null;
    const { watch, day, answeredDay } = sent;
    const { kernel } = this.#settings;
    // One whose answer was lost is found in the list at any later time, also by a host whose clock is behind. Where that is
    // days behind, its host gives up what another one has sent just now, because a send in its future says nothing.
    const { mostBehindMs } = kernel;
    const mayBeEarlier = answeredDay === null || (kind === 'check' && mostBehindMs >= DAY);
    const firstDay = mayBeEarlier ? sent.firstDay - Math.ceil(mostBehindMs / DAY) : sent.firstDay;
    const lastDay = answeredDay === null ? toDay(kernel.getLatestTime(0)) : Math.max(day, answeredDay);
    return { watch, run: this.#purchases.get(name)?.sent.label.run ?? null, firstDay, lastDay };
  }
}
