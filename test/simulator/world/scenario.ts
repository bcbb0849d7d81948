import { pick, seeded } from '../../support/seeded.ts';
import { FAILS, type Page, POISON, SITE } from './site.ts';

/** Something that happens in the world, at a time. */
export interface Act {
  /** Milliseconds since the beginning. */
  readonly at: number;
  readonly kind: ActKind;
  /** For how long, where that matters. */
  readonly forMs: number;
  /** What the act draws its choices from. */
  readonly salt: number;
}

export const ACTS = [
  'run',
  'check',
  'crash worker',
  'crash service',
  'stop temporal',
  'cut off worker',
  'reset',
  'refuse key',
  'replace key',
  'top up',
  'change pages',
] as const;
export type ActKind = (typeof ACTS)[number];

export interface Scenario {
  readonly seed: number;
  /** The pages of each watch at first. */
  readonly watches: ReadonlyMap<string, readonly Page[]>;
  readonly workers: number;
  /** Share of requests that meet a fault, 0 to 1: at the service, and at the sites. */
  readonly faultShare: number;
  readonly siteFaultShare: number;
  /** Batches with more URLs than that are refused with 413; null: none is. */
  readonly tooLarge: number | null;
  /** What the account holds at first, in micro-lira. */
  readonly balance: number;
  /** Price of a URL at first, in micro-lira. */
  readonly price: number;
  /** How long the service works on a fast job. */
  readonly jobMs: number;
  /** The longest that most messages take. */
  readonly latencyMs: number;
  /** Share of the calls to a database that wait a moment before and after, so that others come in between. */
  readonly storageShare: number;
  readonly suggestAfter: number;
  /** When the world becomes good: no faults after that. */
  readonly goodAt: number;
  readonly acts: readonly Act[];
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const AMPLE = 1_000_000_000_000;

/** The schedule of a seed: the same on every machine. */
export function toScenario(seed: number): Scenario {
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const names = Array.from({ length: between(1, 3) }, (_, n) => `w${n}`);
  const poisoned = chance(0.3);
  const watches = new Map(
    names.map((name, n) => [name, makePages(random, name, 'a', between(3, 40), poisoned && n === 0)] as const),
  );
  const price = 250_000;
  const pages = [...watches.values()].flat().length;
  const short = chance(0.3);
  const goodAt = between(1, 8) * HOUR;
  const kinds: ActKind[] = ['run', 'crash worker', 'crash worker', 'crash service', 'reset', 'reset', 'reset'];
  kinds.push('change pages', 'change pages', 'cut off worker', 'check');
  if (chance(0.4)) kinds.push('stop temporal');
  if (chance(0.4)) kinds.push('refuse key', 'replace key');
  const acts: Act[] = Array.from({ length: between(2, 10) }, () => ({
    at: Math.floor(random() ** 2 * goodAt),
    kind: pick(random, kinds),
    forMs: Math.floor(random() ** 3 * 20 * MINUTE),
    salt: Math.floor(random() * 2 ** 31),
  }));
  acts.push({ at: 0, kind: 'run', forMs: 0, salt: 0 });
  if (short) acts.push({ at: between(0, goodAt), kind: 'top up', forMs: 0, salt: 0 });
  return {
    seed,
    watches,
    workers: chance(0.3) ? 2 : 1,
    faultShare: chance(0.2) ? 0 : random() * 0.5,
    siteFaultShare: chance(0.5) ? 0 : random() * 0.4,
    tooLarge: chance(0.2) ? between(2, 20) : null,
    balance: short ? Math.floor(pages * price * random()) : AMPLE,
    price,
    jobMs: Math.floor(random() ** 2 * 40 * MINUTE),
    latencyMs: chance(0.5) ? 20 : between(20, 3_000),
    storageShare: chance(0.3) ? 0 : random() * 0.3,
    suggestAfter: chance(0.5) ? 4_000 : between(20, 200),
    goodAt,
    acts: acts.toSorted((a, b) => a.at - b.at),
  };
}

export function makePages(
  random: () => number,
  watch: string,
  part: string,
  count: number,
  poisoned = false,
): readonly Page[] {
  const dated = random() < 0.7;
  return Array.from({ length: count }, (_, n) => ({
    url: `${SITE}/${watch}/${part}/${n}${poisoned && n === 0 ? POISON : random() < 0.05 ? FAILS : ''}`,
    lastmod: dated ? '2026-01-01' : null,
  }));
}
