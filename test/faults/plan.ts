import { pick, seeded } from './seeded.ts';
import { HOST } from './site.ts';

/** What happens besides the network: which program dies, or which workflow is set back. */
export const ACTIONS = ['kill worker', 'kill service', 'kill temporal', 'reset'] as const;
export type Action = (typeof ACTIONS)[number];

export interface PlannedAction {
  readonly action: Action;
  /** Wait before it, and how long a killed program stays away, in milliseconds. */
  readonly afterMs: number;
  readonly awayMs: number;
}

export interface SchedulePlan {
  readonly seed: number;
  /** By watch: what its sitemap lists at first, and what it lists besides later on. */
  readonly watches: ReadonlyMap<string, { readonly first: readonly string[]; readonly later: readonly string[] }>;
  readonly faultShare: number;
  /** Batches with more URLs than that are refused with 413; null: none is. */
  readonly tooLarge: number | null;
  readonly actions: readonly PlannedAction[];
}

/** A URL that the gateway refuses with 422. */
export const POISON = '~poison';
/** A URL that the simulated processor fails. */
const FAILS = '~fail';

/** The schedule of a seed: the same on every machine. What falls together in time is up to the machine. */
export function planOf(seed: number): SchedulePlan {
  const random = seeded(seed);
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const poisoned = random() < 0.4;
  const watches = new Map(
    Array.from({ length: between(2, 4) }, (_, n) => {
      const watch = `w${n}`;
      const first = pagesOf(watch, 'a', between(20, 400), random);
      const later = pagesOf(watch, 'b', between(1, 60), random);
      // One is enough: finding it takes a request for each halving of its batch.
      const poison = poisoned && n === 0 ? [`https://${HOST}/${watch}/${POISON}`] : [];
      return [watch, { first: [...first, ...poison], later }] as const;
    }),
  );
  // The server restarts for all schedules that run beside this one: it is killed less often.
  const choices: Action[] = ['kill worker', 'kill worker', 'kill service', 'reset', 'reset', 'reset'];
  if (random() < 0.35) choices.push('kill temporal', 'kill temporal');
  return {
    seed,
    watches,
    faultShare: 0.1 + random() * 0.5,
    tooLarge: random() < 0.3 ? between(40, 150) : null,
    actions: Array.from({ length: between(1, 4) }, () => ({
      action: pick(random, choices),
      afterMs: Math.floor(random() ** 2 * 3_000),
      awayMs: Math.floor(random() ** 2 * 1_500),
    })),
  };
}

function pagesOf(watch: string, part: string, count: number, random: () => number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const mark = random() < 0.05 ? FAILS : '';
    return `https://${HOST}/${watch}/${part}/${n}${mark}`;
  });
}
