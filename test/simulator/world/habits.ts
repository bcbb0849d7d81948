import { pick } from '../../support/seeded.ts';
import { GUARD } from './configuration.ts';
import { LEVELS } from './levels.ts';
import { type Act, type ActKind, AMPLE, makePages, type Scenario } from './scenario.ts';
import { addChecks, drawChecks } from './service-features.ts';
import { FORMATS } from './site.ts';

/** What people do in a world besides the acts of its focused seed: how that changes it, or null where it does not go with them. */
export type Habit = (scenario: Scenario, random: () => number) => Partial<Scenario> | null;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const RESTORES = ['restore ledger', 'restore under workers'] as const;

const hasAny = ({ acts }: Scenario, kinds: readonly ActKind[]): boolean =>
  acts.some(({ kind }) => kinds.includes(kind));

/** One to `most` acts of these kinds more. */
function addActs(
  { acts, goodAt }: Pick<Scenario, 'acts' | 'goodAt'>,
  random: () => number,
  kinds: readonly ActKind[],
  { most = 3, mostMs = 60 * MINUTE }: { readonly most?: number; readonly mostMs?: number } = {},
): readonly Act[] {
  const more = Array.from(
    { length: 1 + Math.floor(random() * most) },
    (): Act => ({
      at: Math.floor((0.1 + 0.8 * random()) * goodAt),
      kind: pick(random, kinds),
      forMs: Math.floor(random() ** 2 * mostMs),
      salt: Math.floor(random() * 2 ** 31),
    }),
  );
  return [...acts, ...more].toSorted((a, b) => a.at - b.at);
}

export const HABITS = {
  /** Watches buy at either level, each at its price, and both change. */
  'two levels': (scenario, random) => ({
    levels: new Map([...scenario.watches.keys()].map((sitemap) => [sitemap, pick(random, LEVELS)])),
    standardPrice: Math.round(scenario.price * pick(random, [0.2, 0.5, 1])),
    acts: addActs(scenario, random, ['change both prices', 'change both prices', 'change level']),
  }),
  /** Held runs are decided by what they were said to cost: after minutes, after days, or not before the world is good. */
  'decides later': (scenario, random) => {
    const [afterMs, goodAfterMs] = pick(random, [
      [[0, 40 * MINUTE], 0],
      [[10 * MINUTE, 5 * HOUR], 6 * HOUR],
      [[6 * HOUR, 2 * DAY], 2 * DAY],
      [null, 14 * HOUR],
    ] as const);
    return {
      // Reviews are answered then as well.
      attendsAfterMs: pick(random, [10 * MINUTE, 6 * HOUR, 2 * DAY, null]),
      decider: { afterMs, most: random() < 0.6 ? AMPLE : Math.floor(random() * 10) * scenario.price },
      acts: addActs(scenario, random, ['relaunch', 'relaunch', 'change price', 'change pages']),
      goodAt: scenario.goodAt + goodAfterMs,
      // A run that waits for its jobs is still there when pages change.
      runsUntil: 'planned',
    };
  },
  /** Plans are kept and applied later, and runs have a limit. */
  'plans first': (scenario, random) => ({
    acts: addActs(
      scenario,
      random,
      ['plan, then apply', 'plan, then apply', 'run with a limit', 'run with a limit', 'relaunch', 'change price'],
      { most: 5 },
    ),
    // A watch with a run under way cannot be planned.
    runsUntil: 'planned',
  }),
  /** Each host has a clock of its own, which is wrong for a while. */
  'own clocks': (scenario, random) => ({
    workers: Math.max(2, scenario.workers),
    acts: addActs(scenario, random, ['wrong clock', 'wrong clock', 'change pages'], { mostMs: 5 * HOUR }),
  }),
  /** Watches list pages of each other, each in its own format and precision. */
  'shared pages': (scenario, random) => {
    const watches = new Map(scenario.watches);
    if (watches.size < 2) watches.set('w1', makePages(random, 'w1', 'a', 1 + Math.floor(random() * 8), scenario));
    const [first = []] = watches.values();
    const dated = first.map((page) => ({ ...page, lastmod: page.lastmod ?? '2026-01-01' }));
    watches.set('w0', dated);
    watches.set('w1', [...watches.get('w1')!, ...dated.filter(() => random() < 0.7)]);
    return {
      watches,
      formats: new Map([...watches.keys()].map((sitemap) => [sitemap, pick(random, FORMATS)])),
      acts: addActs(scenario, random, ['edit pages', 'edit pages', 'change format'], { most: 4 }),
    };
  },
  /** Pages that fail move to another watch, and watches lose their names for a while. */
  'moves and renames': (scenario, random) => {
    // What a lost job has failed is in no copy, and a watch changes its name once at a time.
    if (hasAny(scenario, [...RESTORES, 'rename watch', 'remove watch'])) return null;
    const fails = { fails: true, failShare: 0.4 };
    const sitemaps = scenario.watches.size > 1 ? [...scenario.watches.keys()] : ['w0', 'w1'];
    return {
      ...fails,
      watches: new Map(
        sitemaps.map((name, n) => [
          name,
          makePages(random, name, 'm', 2 + Math.floor(random() * 5), { ...fails, poisoned: n === 0 }),
        ]),
      ),
      acts: addActs(
        scenario,
        random,
        ['move failed pages', 'move failed pages', 'rename and back', 'comment out for a day', 'change pages'],
        { most: 5 },
      ).map((act) => (act.kind === 'comment out for a day' ? { ...act, forMs: DAY } : act)),
    };
  },
  /** Watches adopt what is there, buy no changes or seldom, ask for few new pages already, and check again and again. */
  policies: (scenario, random): Partial<Scenario> => {
    const isBaseline = !hasAny(scenario, [...RESTORES, 'rename watch', 'rename and back', 'move pages']);
    const policy = pick(random, [
      isBaseline ? { firstRun: 'baseline' as const } : { buysChanges: false },
      { notWithinMs: (30 + Math.floor(random() * 330)) * MINUTE },
      { buysChanges: false },
      { guard: { ...GUARD, maxNew: 1 + Math.floor(random() * 6) } },
      { guard: { ...GUARD, maxNewPercent: 1 + Math.floor(random() * 60) } },
      { guard: { ...GUARD, maxChanged: 1 + Math.floor(random() * 3) } },
      { resubmitAfter: 1 + Math.floor(random() * 2), checks: { ...drawChecks(scenario, random), sample: 1 } },
      { checks: drawChecks(scenario, random) },
    ]);
    return {
      policy: { ...scenario.policy, ...policy },
      acts: addChecks(
        { ...scenario, acts: addActs(scenario, random, ['change pages', 'relaunch'], { most: 4 }) },
        random,
      ),
    };
  },
} satisfies Readonly<Record<string, Habit>>;

export type HabitName = keyof typeof HABITS;
export const HABIT_NAMES = Object.keys(HABITS) as HabitName[];
