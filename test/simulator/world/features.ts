import { pick } from '../../support/seeded.ts';
import type { StateName } from './acts/states.ts';
import { CHECKS } from './configuration.ts';
import { CAP_NAMES, NO_CAPS } from './oracle/caps-rule.ts';
import { type ActKind, AMPLE, drawSchedule, makePages, type Scenario } from './scenario.ts';
import { SERVICE_FEATURES } from './service-features.ts';
import { drawDialect } from './service-seeds.ts';
import { drawSecondAccount } from './varied.ts';

/**
 * What a world may have besides its acts: how it changes a scenario whose acts are drawn, or null where it does not go with them
 * or with what is there. A paired seed has what its acts need, and a few others: a new entry is drawn without more.
 */
export type Feature = (scenario: Scenario, random: () => number) => Partial<Scenario> | null;

const MINUTE = 60_000;

/** Whether an act is one of these, or begins in one of these states, which are brought about for it. */
const hasAny = ({ acts }: Scenario, names: readonly (ActKind | StateName)[]): boolean =>
  acts.some(({ kind, moment, besides }) => [kind, moment, besides].some((name) => names.includes(name as StateName)));
const countPages = ({ watches }: Scenario): number => [...watches.values()].flat().length;

/** The pages of a watch are others. */
const change = ({ watches }: Scenario, watch: string, random: () => number, how: Parameters<typeof makePages>[4]) =>
  new Map(watches).set(watch, makePages(random, watch, 'a', 2 + Math.floor(random() * 4), how));

/** Two accounts at two services, or at one. */
const services =
  (isSecondElsewhere: boolean): Feature =>
  ({ services, second }, random) =>
    services !== undefined && services.isSecondElsewhere !== isSecondElsewhere
      ? null
      : {
          services: { ...services, isSecondElsewhere },
          second: second ?? { sitemaps: random() < 0.5 ? [] : ['w1'], balance: AMPLE, trouble: null },
        };

export const FEATURES = {
  schedules: ({ watches }, random) => ({
    schedules: new Map([...watches.keys()].map((name) => [name, drawSchedule(random)])),
  }),
  'two accounts': (scenario, random) =>
    scenario.second === undefined
      ? { second: drawSecondAccount(random, [...scenario.watches.keys()], scenario.price) }
      : {},
  'another service': services(true),
  'two accounts of a service': services(false),
  'some services': (scenario, random) =>
    services(scenario.services?.isSecondElsewhere ?? random() < 0.5)(scenario, random),
  'other words': (scenario, random) => {
    const dialect = drawDialect(Math.floor(random() * 2 ** 31), scenario);
    if (dialect === null || scenario.failShare !== undefined) return null;
    return { services: { isSecondElsewhere: false, ...scenario.services, dialect }, listLagMs: 0 };
  },
  'two files': () => ({ hasTwoFiles: true }),
  'failing pages': (scenario, random) =>
    scenario.services?.dialect !== undefined
      ? null
      : {
          fails: true,
          failShare: 0.4,
          watches: change(scenario, 'w0', random, { fails: true, failShare: 0.4 }),
        },
  'poisoned page': (scenario, random) => ({
    watches: change(scenario, 'w1', random, { fails: false, poisoned: true }),
  }),
  'all pages checked': ({ policy }) => ({ policy: { ...policy, checks: { ...CHECKS, sample: 1 } } }),
  'small batches': () => ({ batchUrls: 3 }),
  'large batches refused': (_scenario, random) => ({ tooLarge: 1 + Math.floor(random() * 4) }),
  'short balance': (scenario, random) => ({
    balance: Math.floor(countPages(scenario) * scenario.price * random() * 1.5),
  }),
  cap: (scenario, random) => ({
    caps: { ...NO_CAPS, [pick(random, CAP_NAMES)]: Math.floor(countPages(scenario) * scenario.price * random() * 2) },
  }),
  'the list lags': ({ services }, random) =>
    services?.dialect === undefined ? { listLagMs: (30 + Math.floor(random() * 210)) * 1_000 } : null,
  'keys are kept': () => ({ forgetsKeys: false }),
  'two workers': () => ({ workers: 2 }),
  'faults on the way': (scenario, random) => (hasAny(scenario, ['wrong key']) ? null : { faultShare: random() * 0.3 }),
  'faults at sites': (_scenario, random) => ({ siteFaultShare: 0.1 + random() * 0.3 }),
  'slow jobs': (_scenario, random) => ({ jobMs: (10 + Math.floor(random() * 30)) * MINUTE }),
  'slow messages': (_scenario, random) => ({ latencyMs: 20 + Math.floor(random() * 3_000) }),
  'slow storage': (_scenario, random) => ({ storageShare: random() * 0.3 }),
  'short histories': (_scenario, random) => ({ suggestAfter: 20 + Math.floor(random() * 180) }),
  'runs end when planned': () => ({ runsUntil: 'planned' }),
  'runs end when accepted': ({ runsUntil }) => (runsUntil === undefined ? { runsUntil: 'accepted' } : null),
  ...SERVICE_FEATURES,
} satisfies Readonly<Record<string, Feature>>;

export type FeatureName = keyof typeof FEATURES;
export const FEATURE_NAMES = Object.keys(FEATURES) as FeatureName[];

/** Without these an act does nothing, and a state is never there. */
export const NEEDS: Readonly<Partial<Record<ActKind | StateName, readonly FeatureName[]>>> = {
  'change cron': ['schedules'],
  'pause schedule': ['schedules'],
  'trigger schedule': ['schedules'],
  'change account': ['two accounts'],
  'move to other file': ['two files'],
  'release quarantine': ['poisoned page'],
  'leave batch': ['the list lags'],
  // Else it is found in the list before its watch is missed.
  'batch in review': ['the list lags'],
  'name another service': ['another service'],
  'move to another service': ['some services'],
  'service moves': ['some services'],
  'wrong key': ['two accounts of a service'],
  approve: ['runs end when planned'],
  reject: ['runs end when planned'],
  'run held': ['runs end when planned'],
  'run approved': ['runs end when planned'],
  'run rejected': ['runs end when planned'],
  'run crawls': ['runs end when planned'],
  'run incomplete': ['faults at sites'],
  'batch planned': ['small batches'],
  'batch failed': ['failing pages'],
  // Some batches in a row are refused alike.
  'account refused': ['small batches'],
  'resume account': ['small batches'],
  'check planned': ['all pages checked'],
  'check sent': ['all pages checked'],
  'check in doubt': ['all pages checked'],
  'check done': ['all pages checked'],
  'check refused': ['all pages checked'],
};
