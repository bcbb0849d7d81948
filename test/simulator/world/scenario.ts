import type { ServiceLevel } from '../../../contract/states.ts';
import type { Duty } from '../../../src/temporal-api/duties.ts';
import type { WatchInput } from '../../../src/temporal-api/workflows.ts';
import { pick, seeded } from '../../support/seeded.ts';
import type { AccountName } from './account-names.ts';
import type { ACCOUNT_PLAYS } from './acts/account.ts';
import type { CHARGE_PLAYS } from './acts/charges.ts';
import type { CLOCK_PLAYS } from './acts/clocks.ts';
import type { CONFIGURATION_PLAYS } from './acts/configuration.ts';
import type { DISASTER_PLAYS } from './acts/disasters.ts';
import type { ELSEWHERE_PLAYS } from './acts/elsewhere.ts';
import type { LEVEL_PLAYS } from './acts/levels.ts';
import type { Moment } from './acts/moments.ts';
import type { NAME_PLAYS } from './acts/names.ts';
import type { OPERATOR_PLAYS } from './acts/operator.ts';
import type { OUTAGE_PLAYS } from './acts/outages.ts';
import type { PEOPLE_SITE_PLAYS } from './acts/people-sites.ts';
import type { PLAN_PLAYS } from './acts/plans.ts';
import type { PROGRAM_PLAYS } from './acts/programs.ts';
import type { RETENTION_PLAYS } from './acts/retention.ts';
import type { RUN_PLAYS } from './acts/runs.ts';
import type { SCHEDULE_PLAYS } from './acts/schedules.ts';
import type { SERVICE_PLAYS } from './acts/service.ts';
import type { SITE_PLAYS } from './acts/sites.ts';
import type { StateName } from './acts/states.ts';
import type { Schedules, WatchPolicy } from './configuration.ts';
import type { Decider } from './decider.ts';
import type { Dialect } from './dialect.ts';
import type { FeatureName } from './features.ts';
import type { HabitName } from './habits.ts';
import type { KnownName } from './known/index.ts';
import type { Price } from './levels.ts';
import { CAP_NAMES, type Caps, NO_CAPS } from './oracle/caps-rule.ts';
import type { SequenceName } from './sequences/index.ts';
import { FAILS, FAILS_ONCE, type Format, type Page, POISON, SITE } from './site.ts';

/** Something that happens in the world, at a time. */
export interface Act {
  /** Milliseconds since the beginning. */
  readonly at: number;
  readonly kind: ActKind;
  /** For how long, where that matters. */
  readonly forMs: number;
  /** What the act draws its choices from. */
  readonly salt: number;
  /** It begins when a batch, an index-check, a run or an account is in this state; absent: at its time, or at a bad moment that the act draws. */
  readonly moment?: Moment | StateName;
  /** It waits for this as well, once its moment is there. */
  readonly besides?: StateName;
}

export type ActKind =
  | keyof typeof RUN_PLAYS
  | keyof typeof PROGRAM_PLAYS
  | keyof typeof ACCOUNT_PLAYS
  | keyof typeof CONFIGURATION_PLAYS
  | keyof typeof SITE_PLAYS
  | keyof typeof OPERATOR_PLAYS
  | keyof typeof DISASTER_PLAYS
  | keyof typeof SCHEDULE_PLAYS
  | keyof typeof SERVICE_PLAYS
  | keyof typeof OUTAGE_PLAYS
  | keyof typeof RETENTION_PLAYS
  | keyof typeof ELSEWHERE_PLAYS
  | keyof typeof CHARGE_PLAYS
  | keyof typeof LEVEL_PLAYS
  | keyof typeof PEOPLE_SITE_PLAYS
  | keyof typeof PLAN_PLAYS
  | keyof typeof CLOCK_PLAYS
  | keyof typeof NAME_PLAYS
  | SequenceName
  | KnownName;

export interface SecondAccount {
  /** The sitemaps whose watches belong to it at first. */
  readonly sitemaps: readonly string[];
  /** What it holds at first, in micro-lira. */
  readonly balance: number;
  /** What ails one of both accounts when all else is good, until the other one has bought what it lists. */
  readonly trouble: { readonly account: AccountName; readonly kind: 'key refused' | 'no money' } | null;
}

/** What a seed of the kind `service` draws about the services. */
export interface Services {
  /** The second account belongs to another service. */
  readonly isSecondElsewhere: boolean;
  /** How the services show what they have; absent: as ours does. */
  readonly dialect?: Dialect;
}

export interface Scenario {
  readonly seed: number;
  /** What all clocks show at the beginning. */
  readonly epoch: number;
  /** Whether the configuration says the price. */
  readonly configuresPrice: boolean;
  /** At first. */
  readonly caps: Caps;
  /** Whether the service fails some pages. */
  readonly fails: boolean;
  /** How long the service's list does not show a new job. */
  readonly listLagMs: number;
  /** The pages of each watch at first. */
  readonly watches: ReadonlyMap<string, readonly Page[]>;
  /** When the watches run besides the acts, by sitemap. */
  readonly schedules: Schedules;
  readonly workers: number;
  /** Share of requests that meet a fault, 0 to 1: at the service, and at the sites. */
  readonly faultShare: number;
  readonly siteFaultShare: number;
  /** Batches with more URLs than that are refused with 413; null: none is. */
  readonly tooLarge: number | null;
  /** What the account holds at first, in micro-lira. */
  readonly balance: number;
  /** A second account of the configuration; absent: there is one. */
  readonly second?: SecondAccount;
  /** A seed of the kind `service`: what its service is like. Absent: one at one address, as ours is. */
  readonly services?: Services;
  /** Price of a URL at first, in micro-lira. */
  readonly price: number;
  /** The same at the level standard; absent: the same price. */
  readonly standardPrice?: number;
  /** The level of each watch at first, by sitemap; absent: fast. */
  readonly levels?: ReadonlyMap<string, ServiceLevel>;
  /** How long the service works on a fast job. */
  readonly jobMs: number;
  /** The longest that most messages take. */
  readonly latencyMs: number;
  /** Share of the calls to a database that wait a moment before and after, so that others come in between. */
  readonly storageShare: number;
  /** How many URLs a batch may have; absent: as many as the specification says. */
  readonly batchUrls?: number;
  /** How long a statement of a long transaction takes at most, while its process does nothing else; absent: no time passes. */
  readonly statementMs?: number;
  /** Whether the service forgets a key after a day, as it may. */
  readonly forgetsKeys: boolean;
  readonly suggestAfter: number;
  /** A run that waits looks at its batches this often at most: each time costs as much as a poll. */
  readonly runPollMs: number;
  /** Whether the configuration makes trackers poll their jobs seldom, which costs less. */
  readonly pollsSeldom: boolean;
  /** When the world becomes good: no faults after that. */
  readonly goodAt: number;
  /** A seed of the kind `focused`: its acts name their moments. */
  readonly isFocused?: boolean;
  /** A seed of the kind `paired`: what it has of features.ts. */
  readonly features?: readonly FeatureName[];
  /** How each sitemap writes its lastmods at first; absent: as days. */
  readonly formats?: ReadonlyMap<string, Format>;
  /** How held runs are decided; absent: each is approved within ten minutes. */
  readonly decider?: Decider;
  /** How long what needs review waits for its answer; null: until the world is good, absent: for ten minutes. */
  readonly attendsAfterMs?: number | null;
  /** A seed of the kind `people`: what people do in it. */
  readonly habits?: readonly HabitName[];
  /** A seed of the kind `sequence`: its workers go on at its end, unless their configuration must change. */
  readonly isSequence?: boolean;
  /** How many of the pages the service fails; absent: one in twenty. */
  readonly failShare?: number;
  /** What each worker does; absent: every worker does everything. */
  readonly duties?: readonly (readonly Duty[])[];
  /** Answers break off at any byte; absent: in their middle. */
  readonly cutsAnywhere?: boolean;
  /** Of the jobs, 0 to 1: the service shows them as under way forever. Absent: none. */
  readonly endlessShare?: number;
  /** Each sitemap has two files; absent: one. */
  readonly hasTwoFiles?: boolean;
  /** Until when a run that an act starts goes on; absent: until its jobs have ended. */
  readonly runsUntil?: WatchInput['until'];
  /** What the watches do otherwise than in most worlds. */
  readonly policy?: Partial<WatchPolicy>;
  readonly acts: readonly Act[];
}

const MINUTE = 60_000;
export const AMPLE = 1_000_000_000_000;

/** A day that ends soon, a month that ends soon, a year. */
export const EPOCHS = [
  Date.UTC(2026, 2, 27, 9),
  Date.UTC(2026, 2, 29, 22),
  Date.UTC(2026, 3, 30, 20),
  Date.UTC(2026, 11, 31, 19),
];

/** Acts that a seed may play, in groups: a seed plays few groups, so that each of them is played in many ways. */
const ALWAYS: readonly ActKind[] = ['run', 'run', 'change pages', 'change pages', 'check'];
export const GROUPS: readonly (readonly ActKind[])[] = [
  ['crash worker', 'crash worker at a call', 'crash worker at a call'],
  ['crash service', 'crash service at a call'],
  ['reset', 'reset', 'cut off worker'],
  ['stop temporal', 'lose temporal'],
  ['refuse key', 'replace key', 'wake'],
  ['change price', 'lower cap', 'raise floor'],
  ['remove watch', 'rename watch', 'move pages'],
  ['flap lastmods', 'empty sitemap', 'move pages'],
  ['restore ledger'],
  ['recover', 'cancel batch', 'release quarantine'],
  ['approve', 'reject', 'empty sitemap'],
  ['jump clock'],
  ['stop workers for days'],
  ['suffer', 'suffer'],
];
/** Of seeds whose watches have schedules. */
export const SCHEDULED: readonly ActKind[] = ['change cron', 'pause schedule', 'trigger schedule', 'stop temporal'];

const CRONS = ['*/20 * * * *', '7,37 * * * *', '15 */2 * * *', '30 2 * * *'];
/** Each has a day of 23 hours or of 25 near one of the epochs, but the first. */
const TIME_ZONES = ['UTC', 'Europe/Berlin', 'America/New_York'];

/** When a watch may run. */
export const drawSchedule = (random: () => number) => ({
  cron: pick(random, CRONS),
  timezone: pick(random, TIME_ZONES),
});

/** What a URL costs at first. */
export const toPrice = ({ price, standardPrice }: Pick<Scenario, 'price' | 'standardPrice'>): Price =>
  standardPrice === undefined ? price : { standard: standardPrice, fast: price };

/** How long a new job is missing in the list at most, whoever shows it. */
export const getListLagMs = ({ listLagMs, services }: Pick<Scenario, 'listLagMs' | 'services'>): number =>
  Math.max(listLagMs, services?.dialect?.lagMs ?? 0);

/** How much a schedule has in it. */
export type Size = 'usual' | 'small';

/** From and to. */
const SIZES: Readonly<
  Record<Size, Readonly<Record<'watches' | 'pages' | 'acts' | 'minutes', readonly [number, number]>>>
> = {
  usual: { watches: [1, 3], pages: [3, 40], acts: [2, 10], minutes: [60, 480] },
  small: { watches: [1, 2], pages: [1, 12], acts: [1, 5], minutes: [10, 90] },
};

/** The schedule of a seed: the same on every machine. */
export function toScenario(seed: number, size: Size = 'usual'): Scenario {
  const most = SIZES[size];
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const groups = GROUPS.filter(() => chance(0.25));
  const isScheduled = chance(0.2);
  const kinds = [...ALWAYS, ...groups.flat(), ...groups.flat(), ...groups.flat(), ...(isScheduled ? SCHEDULED : [])];
  // A failed page is bought again by a rule of its own, which a renamed watch or a restored ledger begins again.
  const fails = !kinds.includes('rename watch') && !kinds.includes('restore ledger') && !kinds.includes('move pages');
  const names = Array.from({ length: between(...most.watches) }, (_, n) => `w${n}`);
  const poisoned = chance(0.3);
  const watches = new Map(
    names.map((name, n) => [
      name,
      makePages(random, name, 'a', between(...most.pages), { fails, poisoned: poisoned && n === 0 }),
    ]),
  );
  const price = 250_000;
  const pages = [...watches.values()].flat().length;
  const short = chance(0.3);
  const goodAt = between(...most.minutes) * MINUTE;
  const acts: Act[] = Array.from({ length: between(...most.acts) }, () => ({
    at: Math.floor(random() ** 2 * goodAt),
    kind: pick(random, kinds),
    forMs: Math.floor(random() ** 3 * (chance(0.2) ? 180 : 20) * MINUTE),
    salt: Math.floor(random() * 2 ** 31),
  }));
  acts.push({ at: 0, kind: 'run', forMs: 0, salt: 0 });
  if (short) acts.push({ at: between(0, goodAt), kind: 'top up', forMs: 0, salt: 0 });
  return {
    seed,
    epoch: pick(random, EPOCHS),
    configuresPrice: chance(0.5),
    caps: chance(0.4) ? { ...NO_CAPS, [pick(random, CAP_NAMES)]: Math.floor(pages * price * random()) } : NO_CAPS,
    fails,
    listLagMs: chance(0.3) ? between(0, 120_000) : 0,
    watches,
    schedules: new Map(isScheduled ? names.map((name) => [name, drawSchedule(random)]) : []),
    workers: chance(0.3) ? 2 : 1,
    faultShare: chance(0.2) ? 0 : random() * 0.5,
    siteFaultShare: chance(0.5) ? 0 : random() * 0.4,
    tooLarge: chance(0.2) ? between(2, 20) : null,
    balance: short ? Math.floor(pages * price * random()) : AMPLE,
    price,
    jobMs: Math.floor(random() ** 2 * 40 * MINUTE),
    latencyMs: chance(0.5) ? 20 : between(20, 3_000),
    storageShare: chance(0.3) ? 0 : random() * 0.3,
    forgetsKeys: chance(0.5),
    suggestAfter: chance(0.5) ? 4_000 : between(20, 200),
    runPollMs: chance(0.1) ? 0 : between(60, 600) * 1_000,
    pollsSeldom: chance(0.8),
    goodAt,
    acts: acts.toSorted((a, b) => a.at - b.at),
  };
}

const NOT_IN_A_YEAR: ReadonlySet<ActKind> = new Set([
  'jump clock',
  'rename watch',
  'change cron',
  'stop workers for days',
]);

/** An act of a year: any but those that lose count of its days, or rename what its schedules are counted by. */
export function drawAct(random: () => number, forMs: number): Act {
  const kinds = ALWAYS.concat(GROUPS.flat(), SCHEDULED).filter((kind) => !NOT_IN_A_YEAR.has(kind));
  return {
    at: Math.floor(random() * forMs),
    kind: random() < 0.4 ? 'change pages' : pick(random, kinds),
    forMs: Math.floor(random() ** 3 * 180 * MINUTE),
    salt: Math.floor(random() * 2 ** 31),
  };
}

export function makePages(
  random: () => number,
  watch: string,
  part: string,
  count: number,
  {
    fails,
    failShare = 0.05,
    poisoned = false,
  }: { readonly fails: boolean; readonly failShare?: number; readonly poisoned?: boolean },
): readonly Page[] {
  const dated = random() < 0.7;
  return Array.from({ length: count }, (_, n) => ({
    url: `${SITE}/${watch}/${part}/${n}${poisoned && n === 0 ? POISON : random() < failShare && fails ? (n % 2 === 0 ? FAILS : FAILS_ONCE) : ''}`,
    lastmod: dated ? '2026-01-01' : null,
  }));
}
