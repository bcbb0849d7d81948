import { pick, seeded } from '../../support/seeded.ts';
import { ACT_NAMES } from './acts/index.ts';
import { BEGINS_AT, STATE_NAMES, type StateName } from './acts/states.ts';
import { findObstacle } from './cannot-meet.ts';
import { FEATURE_NAMES, FEATURES, type FeatureName, NEEDS } from './features.ts';
import { NO_CAPS } from './oracle/caps-rule.ts';
import { type Act, type ActKind, AMPLE, EPOCHS, makePages, type Scenario } from './scenario.ts';

const MINUTE = 60_000;

/** An act, and another one or a state that it meets. */
export type Pair = readonly [ActKind, ActKind | StateName];

const canMeet = ([one, other]: Pair): boolean => findObstacle(one, other) === null;

/** Each two acts within an hour. */
export const ACT_PAIRS: readonly Pair[] = ACT_NAMES.flatMap((one, n) =>
  ACT_NAMES.slice(n).map((other): Pair => [one, other]),
).filter(canMeet);

/** Each act and each state that is there when it begins. */
export const STATE_PAIRS: readonly Pair[] = ACT_NAMES.flatMap((act) =>
  STATE_NAMES.map((state): Pair => [act, state]),
).filter(canMeet);

/**
 * As many seeds as there are pairs have each of them once, in an order that spreads them: any part of the seeds has pairs of all
 * acts. The step is the golden ratio of the length, made coprime to it.
 */
export function getPair(pairs: readonly Pair[], seed: number): Pair {
  const { length } = pairs;
  let step = Math.max(1, Math.round(length * 0.618_034));
  while (gcd(step, length) > 1) step += 1;
  return pairs[((seed % length) * step) % length]!;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** The acts of a seed, and the state in which some of them begin. */
function drawMeeting(
  seed: number,
  random: () => number,
): { readonly kinds: readonly ActKind[]; readonly state: StateName } {
  const [act, state] = getPair(STATE_PAIRS, seed) as [ActKind, StateName];
  // The state comes first, as it must be brought about; acts that do not go with what is there are left out.
  const others = [...getPair(ACT_PAIRS, 2 * seed), ...getPair(ACT_PAIRS, 2 * seed + 1), pick(random, ACT_NAMES)];
  const kinds: ActKind[] = [act];
  for (const kind of others as ActKind[]) {
    if ([state, ...kinds].every((each) => findObstacle(kind, each) === null)) kinds.push(kind);
  }
  return { kinds, state };
}

/** Two acts meet within an hour, or an act meets a state: a small world around them, with a few features. */
export function toPairedScenario(seed: number): Scenario {
  const random = seeded(seed ^ 0x9a12);
  const chance = (share: number) => random() < share;
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const { kinds, state } = drawMeeting(seed, random);
  const toAct = (kind: ActKind, n: number): Act => ({
    at: between(1, 20) * MINUTE,
    kind,
    forMs: Math.floor(random() ** 2 * 30 * MINUTE),
    salt: Math.floor(random() * 2 ** 31),
    ...(n === 0 || chance(0.5) ? { moment: state } : {}),
    ...(BEGINS_AT[kind] === undefined ? {} : { besides: BEGINS_AT[kind] }),
  });
  const acts = [{ at: 0, kind: 'run', forMs: 0, salt: 0 } as const, ...kinds.map(toAct)];
  const base: Scenario = {
    seed,
    isFocused: true,
    epoch: pick(random, EPOCHS),
    configuresPrice: chance(0.5),
    caps: NO_CAPS,
    fails: false,
    listLagMs: 0,
    watches: new Map(['w0', 'w1'].map((name) => [name, makePages(random, name, 'a', between(1, 5), { fails: false })])),
    schedules: new Map(),
    workers: 1,
    faultShare: 0,
    siteFaultShare: 0,
    tooLarge: null,
    balance: AMPLE,
    price: 250_000,
    jobMs: between(1, 8) * MINUTE,
    latencyMs: 20,
    storageShare: 0,
    forgetsKeys: true,
    suggestAfter: 4_000,
    runPollMs: between(60, 300) * 1_000,
    pollsSeldom: chance(0.8),
    goodAt: between(50, 80) * MINUTE,
    acts: acts.toSorted((a, b) => a.at - b.at),
  };
  const needed = [...kinds, state].flatMap((each) => NEEDS[each] ?? []) as readonly FeatureName[];
  const drawn = Array.from({ length: between(0, 2) }, () => pick(random, FEATURE_NAMES));
  let scenario = base;
  for (const name of new Set([...FEATURE_NAMES.filter((each) => needed.includes(each)), ...drawn])) {
    const change = FEATURES[name](scenario, random);
    if (change !== null) scenario = { ...scenario, ...change, features: [...(scenario.features ?? []), name] };
  }
  return scenario;
}
