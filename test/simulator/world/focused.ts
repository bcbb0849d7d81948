import { pick, seeded } from '../../support/seeded.ts';
import { AT_BAD_MOMENTS } from './acts/bad-moment.ts';
import { MOMENTS, type Moment } from './acts/moments.ts';
import type { StateName } from './acts/states.ts';
import { CAP_NAMES, type CapName, NO_CAPS } from './oracle/caps-rule.ts';
import {
  type Act,
  type ActKind,
  AMPLE,
  drawSchedule,
  EPOCHS,
  GROUPS,
  makePages,
  SCHEDULED,
  type Scenario,
} from './scenario.ts';

/** Groups that only focused seeds play: another kind's seeds would no longer mean the same. */
const MORE_GROUPS: readonly (readonly ActKind[])[] = [
  ['date pages'],
  ['raise floor', 'spend elsewhere'],
  ['lower cap'],
  ['cancel batch'],
  ['remove watch', 'leave batch'],
  ['stop temporal'],
  ['restore under workers'],
  ['move to other file'],
];
const ALL_GROUPS = [...GROUPS, ...MORE_GROUPS];
const MOMENT_NAMES = Object.keys(MOMENTS) as Moment[];
const MINUTE = 60_000;

/** What a world may have besides its acts. */
const FEATURES = [
  ...(['fails', 'forgets keys', 'list lags', 'poisoned page', 'large batches refused', 'short balance'] as const),
  ...(['price configured', 'two watches', 'two workers', 'faults', 'slow jobs', 'runs end early', 'long'] as const),
  ...(['two accounts', 'other service', 'other words', 'pages move', 'short pages', 'filtered pages'] as const),
  ...CAP_NAMES.map((name) => `cap ${name}` as const),
] as const;
export type Feature = (typeof FEATURES)[number];

/** What a mutation needs of a seed. */
export type Need = ActKind | Moment | StateName | Feature;

/**
 * Swarm testing: each seed leaves most kinds of acts and most features out, so that what is left meets often. Groce et al.,
 * Swarm Testing, 2012.
 */
export function toFocusedScenario(seed: number): Scenario {
  const random = seeded(seed ^ 0xf0c5);
  const chance = (share: number) => random() < share;
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const groups = new Set(Array.from({ length: between(1, 3) }, () => pick(random, ALL_GROUPS)));
  const isScheduled = chance(0.1);
  const kinds = [...[...groups].flat(), ...(isScheduled ? SCHEDULED : [])];
  const moments = Array.from({ length: between(1, 2) }, () => pick(random, MOMENT_NAMES));
  const loses = (['rename watch', 'restore ledger', 'restore under workers', 'move pages'] as const).some((kind) =>
    kinds.includes(kind),
  );
  const fails = !loses && chance(0.5);
  const failShare = 0.3;
  const poisoned = chance(0.15);
  const names = Array.from({ length: chance(0.7) ? between(2, 3) : 1 }, (_, n) => `w${n}`);
  const watches = new Map(
    names.map((name, n) => [
      name,
      makePages(random, name, 'a', between(1, 8), { fails, failShare, poisoned: poisoned && n === 0 }),
    ]),
  );
  const price = 250_000;
  const pages = [...watches.values()].flat().length;
  const short = chance(0.15);
  const goodAt = (chance(0.25) ? between(150, 420) : between(15, 100)) * MINUTE;
  const toAct = (kind: ActKind): Act => ({
    at: Math.floor(random() * goodAt),
    kind,
    forMs: Math.floor(random() ** 2 * (chance(0.3) ? 120 : 15) * MINUTE),
    salt: Math.floor(random() * 2 ** 31),
    ...(AT_BAD_MOMENTS.has(kind) || kind === 'stop temporal'
      ? chance(0.8)
        ? { moment: pick(random, moments) }
        : {}
      : {}),
  });
  const acts = [
    ...Array.from({ length: between(1, 4) }, () => toAct(pick(random, kinds))),
    ...Array.from({ length: between(1, 4) }, () => toAct(chance(0.5) ? 'run' : 'change pages')),
    { at: 0, kind: 'run', forMs: 0, salt: 0 } as const,
    ...(short ? [toAct('top up')] : []),
  ];
  return {
    seed,
    isFocused: true,
    epoch: pick(random, EPOCHS),
    configuresPrice: chance(0.5),
    caps: chance(0.5) ? { ...NO_CAPS, [pick(random, CAP_NAMES)]: Math.floor(pages * price * random() * 1.5) } : NO_CAPS,
    fails,
    failShare,
    listLagMs: chance(0.4) ? between(30, 240) * 1_000 : 0,
    watches,
    schedules: new Map(isScheduled ? names.map((name) => [name, drawSchedule(random)]) : []),
    workers: chance(0.3) ? 2 : 1,
    faultShare: chance(0.6) ? 0 : random() * 0.3,
    siteFaultShare: chance(0.8) ? 0 : random() * 0.3,
    tooLarge: chance(0.2) ? between(1, 5) : null,
    balance: short ? Math.floor(pages * price * random()) : AMPLE,
    price,
    jobMs: Math.floor(random() ** 2 * 40 * MINUTE),
    latencyMs: chance(0.7) ? 20 : between(20, 3_000),
    storageShare: chance(0.6) ? 0 : random() * 0.3,
    forgetsKeys: chance(0.6),
    suggestAfter: chance(0.8) ? 4_000 : between(20, 200),
    runPollMs: between(60, 600) * 1_000,
    pollsSeldom: chance(0.8),
    runsUntil: chance(0.3) ? pick(random, ['planned', 'accepted'] as const) : 'terminal',
    hasTwoFiles: kinds.includes('move to other file'),
    goodAt,
    acts: acts.toSorted((a, b) => a.at - b.at),
  };
}

/** What a seed has in it. */
export function listFeatures(scenario: Scenario): ReadonlySet<Need> {
  const { acts, caps, watches, forgetsKeys, listLagMs, tooLarge, balance, workers, faultShare, jobMs } = scenario;
  const dialect = scenario.services?.dialect;
  const has: Readonly<Record<Exclude<Feature, `cap ${CapName}`>, boolean>> = {
    fails: scenario.fails && [...watches.values()].flat().some(({ url }) => url.includes('~fail')),
    'forgets keys': forgetsKeys,
    'list lags': listLagMs > 0,
    'poisoned page': [...watches.values()].flat().some(({ url }) => url.includes('~poison')),
    'large batches refused': tooLarge !== null,
    'short balance': balance < AMPLE,
    'price configured': scenario.configuresPrice,
    'two watches': watches.size > 1,
    'two workers': workers > 1,
    faults: faultShare > 0,
    'slow jobs': jobMs > 10 * MINUTE,
    'runs end early': (scenario.runsUntil ?? 'terminal') !== 'terminal',
    long: scenario.goodAt > 140 * MINUTE,
    'two accounts': scenario.second !== undefined,
    'other service': scenario.services?.isSecondElsewhere === true,
    'other words': typeof dialect?.profile === 'number',
    'pages move': dialect?.copies === true,
    'short pages': dialect !== undefined && dialect.pageLimit < 4,
    'filtered pages': dialect?.filtersPages === true,
  };
  return new Set<Need>([
    ...acts.map(({ kind }) => kind),
    ...acts.flatMap(({ moment }) => (moment === undefined ? [] : [moment])),
    ...CAP_NAMES.filter((name) => caps[name] !== null).map((name) => `cap ${name}` as const),
    ...(Object.keys(has) as (keyof typeof has)[]).filter((name) => has[name]),
  ]);
}
