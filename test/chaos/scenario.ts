import { pick, seeded } from '../support/seeded.ts';
import { FAULTS, type Fault } from './proxy.ts';
import { HOST } from './site.ts';

/** What happens besides the network: a program dies, a workflow is reset, a key is rejected or the funds run out for a while. */
export const ACTIONS = [
  'kill worker',
  'kill service',
  'kill temporal',
  'reset',
  'refuse key',
  'replace key',
  'top up',
] as const;
export type Action = (typeof ACTIONS)[number];

export interface PlannedAction {
  readonly action: Action;
  /** Wait before it, and how long a killed program stays away or a key is refused, in milliseconds. */
  readonly afterMs: number;
  readonly awayMs: number;
  /** Whether the dispatcher is signaled that the key works or the funds suffice; otherwise it detects that itself. */
  readonly signaled: boolean;
}

export interface WatchPlan {
  readonly first: readonly string[];
  /** What a later run finds besides, and what it does not find any more. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Sitemaps below the index; 1: the sitemap itself lists the pages. */
  readonly parts: number;
}

export interface Scenario {
  readonly seed: number;
  readonly watches: ReadonlyMap<string, WatchPlan>;
  /** Share of requests that meet a fault, 0 to 1: at the service, and at the sites. */
  readonly faultShare: number;
  /** Which faults the network has. */
  readonly faults: readonly Fault[];
  readonly crawlFaultShare: number;
  /** Batches with more URLs than that are refused with 413; null: none is. */
  readonly tooLarge: number | null;
  /** What the account holds at first, as a share of what the first pages cost; null: ample. */
  readonly funds: number | null;
  /** How long the service works on a job. 0: at once; else in some steps, between which it can be killed. */
  readonly jobMs: number;
  /** Worker processes on the one ledger; the first is the one that is killed. */
  readonly workers: number;
  readonly actions: readonly PlannedAction[];
  /** What happens while most index-checks are made, if anything. */
  readonly whileChecking: PlannedAction | null;
}

/** A URL that the gateway refuses with 422. */
export const POISON = '~poison';
/** A URL that the simulated processor fails. */
export const FAILS = '~fail';

/** The schedule of a seed: the same on every machine. What falls together in time is up to the machine. */
export function toScenario(seed: number): Scenario {
  const random = seeded(seed);
  const chance = (share: number) => random() < share;
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const poisoned = chance(0.4);
  const watches = new Map(
    // One poisoned page is enough: finding it takes a request for each halving of its batch.
    Array.from(
      { length: between(2, 4) },
      (_, n) => [`w${n}`, watchPlan(`w${n}`, poisoned && n === 0, random)] as const,
    ),
  );
  const funds = chance(0.3) ? 0.1 + random() * 0.8 : null;
  // The server restarts for all schedules that run beside this one: it is killed less often.
  const choices: Action[] = ['kill worker', 'kill worker', 'kill service', 'reset', 'reset', 'reset'];
  if (chance(0.35)) choices.push('kill temporal', 'kill temporal');
  if (chance(0.35)) choices.push('refuse key', 'replace key');
  const actions = Array.from({ length: between(1, 4) }, () => plannedAction(pick(random, choices), random));
  if (funds !== null) actions.splice(between(0, actions.length), 0, plannedAction('top up', random));
  return {
    seed,
    watches,
    faultShare: 0.1 + random() * 0.5,
    faults: FAULTS,
    crawlFaultShare: chance(0.5) ? random() * 0.5 : 0,
    tooLarge: chance(0.3) ? between(40, 150) : null,
    funds,
    jobMs: chance(0.35) ? 600 : 0,
    workers: chance(0.25) ? 2 : 1,
    actions,
    whileChecking: chance(0.6)
      ? plannedAction(pick(random, ['kill worker', 'kill service', 'reset', 'replace key']), random)
      : null,
  };
}

/** Two small plans that together hold every action, every refusal and pages that change. They have the same kinds of faults as a long run. */
export function shortScenarios(): Scenario[] {
  const at = (action: Action, afterMs: number): PlannedAction => ({ action, afterMs, awayMs: 200, signaled: true });
  const random = seeded(1);
  const watch = (name: string, pages: number, parts: number, poisoned = false): WatchPlan => {
    const first = makePages(name, 'a', pages, random);
    return {
      first: poisoned ? [...first, toPoisonUrl(name)] : first,
      added: makePages(name, 'b', 8, random),
      removed: first.slice(0, 5),
      parts,
    };
  };
  return [
    {
      seed: 18,
      watches: new Map([
        ['w0', watch('w0', 24, 1, true)],
        ['w1', watch('w1', 60, 2)],
      ]),
      faultShare: 0.2,
      faults: FAULTS,
      crawlFaultShare: 0,
      tooLarge: 20,
      funds: null,
      jobMs: 0,
      workers: 1,
      actions: [at('refuse key', 0), at('reset', 100), at('kill worker', 100)],
      whileChecking: null,
    },
    {
      seed: 48,
      watches: new Map([
        ['w0', watch('w0', 50, 3)],
        ['w1', watch('w1', 30, 1)],
      ]),
      faultShare: 0.2,
      faults: FAULTS,
      crawlFaultShare: 0.4,
      tooLarge: null,
      funds: 0.3,
      jobMs: 0,
      workers: 1,
      actions: [at('top up', 0), at('kill temporal', 100), at('kill service', 200), at('replace key', 300)],
      whileChecking: null,
    },
  ];
}

function plannedAction(action: Action, random: () => number): PlannedAction {
  return {
    action,
    afterMs: Math.floor(random() ** 2 * 3_000),
    awayMs: 100 + Math.floor(random() ** 2 * 1_500),
    signaled: random() < 0.8,
  };
}

function watchPlan(watch: string, poisoned: boolean, random: () => number): WatchPlan {
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const first = makePages(watch, 'a', between(20, 400), random);
  const added = makePages(watch, 'b', between(1, 60), random);
  // Most changes are small; some are a relaunch, which the guard holds.
  const leaving = random() < 0.5 ? 0 : random() < 0.8 ? random() * 0.2 : 0.4 + random() * 0.4;
  return {
    first: poisoned ? [...first, toPoisonUrl(watch)] : first,
    added,
    removed: first.filter(() => random() < leaving),
    parts: random() < 0.5 ? 1 : between(2, 3),
  };
}

const toPoisonUrl = (watch: string): string => `https://${HOST}/${watch}/${POISON}`;

function makePages(watch: string, part: string, count: number, random: () => number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const mark = random() < 0.05 ? FAILS : '';
    return `https://${HOST}/${watch}/${part}/${n}${mark}`;
  });
}
