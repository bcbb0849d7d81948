import { seeded } from '../../support/seeded.ts';
import { findNext, getZone, parseCron } from '../temporal/calendar.ts';
import { beginAct } from './acts/index.ts';
import type { Schedules } from './configuration.ts';
import { startOperator } from './operator.ts';
import { NO_CAPS } from './oracle/caps-rule.ts';
import { playToEnd } from './play.ts';
import { type Act, AMPLE, drawAct, makePages, type Scenario } from './scenario.ts';
import { prepareStores } from './stores.ts';
import { World } from './world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PRICE = 250_000;
/** So long does the server keep what has ended. */
const KEPT_MS = 7 * DAY;
const EPOCH = Date.UTC(2026, 0, 1);

/** One of them has a day without its time, and all are in zones with or without daylight saving. */
const SCHEDULES: Schedules = new Map([
  ['w0', { cron: '30 2 * * *', timezone: 'Europe/Berlin' }],
  ['w1', { cron: '15 4 * * *', timezone: 'Europe/Istanbul' }],
  ['w2', { cron: '0 22 * * *', timezone: 'America/New_York' }],
]);

/** What is there after a part of the year. */
export interface Figures {
  readonly days: number;
  /** Those that a time of a schedule began. */
  readonly runs: number;
  readonly charges: number;
  /** Of the executions since the figures before: how many, and the largest history. */
  readonly executions: number;
  readonly mostEvents: number;
  readonly ledgerBytes: number;
  readonly serviceBytes: number;
  readonly heapBytes: number;
  readonly pages: number;
}

export interface YearPlayed {
  readonly figures: readonly Figures[];
  /** Times of the schedules in the year. */
  readonly times: number;
  readonly acts: number;
  readonly charged: number;
  readonly events: number;
  readonly digest: string;
  readonly breaches: readonly string[];
}

export interface YearOptions {
  readonly seed: number;
  readonly days: number;
  /** Acts of the world in the year, on average one every so many days. */
  readonly daysPerAct: number;
  /** Acts begin while batches are under way or in doubt, as in other seeds; else they come alone. */
  readonly atBadMoments?: boolean;
  readonly onFigures: (figures: Figures) => void;
  readonly onTrace?: ((line: string) => void) | null;
}

/** Three watches that run by their schedules for a year, in a world that changes under them. */
export async function playYear({
  seed,
  days,
  daysPerAct,
  atBadMoments = false,
  onFigures,
  onTrace = null,
}: YearOptions): Promise<YearPlayed> {
  await prepareStores();
  const random = seeded(seed);
  const forMs = days * DAY;
  const acts: Act[] = Array.from({ length: Math.ceil(days / daysPerAct) }, () => drawAct(random, forMs));
  const scenario: Scenario = {
    ...{ seed, epoch: EPOCH, configuresPrice: false, caps: NO_CAPS, fails: false, listLagMs: 20_000 },
    watches: new Map([...SCHEDULES.keys()].map((name) => [name, makePages(random, name, 'a', 40, { fails: false })])),
    ...{ schedules: SCHEDULES, workers: 2, faultShare: 0.05, siteFaultShare: 0.05, tooLarge: 20, balance: AMPLE },
    ...{
      price: PRICE,
      jobMs: 7 * 60_000,
      latencyMs: 100,
      storageShare: 0,
      suggestAfter: 4_000,
      forgetsKeys: false,
      runPollMs: 300_000,
      pollsSeldom: false,
    },
    ...{ goodAt: forMs, acts: acts.toSorted((a, b) => a.at - b.at) },
  };
  const world = new World(scenario, { isSticky: true, restartMs: HOUR, onTrace, service: { repeatMs: 6 * HOUR } });
  const { kernel, oracle, stores } = world;
  const figures: Figures[] = [];

  function takeFigures(): Figures {
    const { executions, mostEvents } = world.temporal.takeEnded(kernel.elapsed - KEPT_MS);
    const getBytes = (name: 'ledger' | 'service') => stores.read[name].serialize().length;
    global.gc?.();
    return {
      days: Math.round(kernel.elapsed / DAY),
      runs: world.timedRuns,
      charges: oracle.charges,
      ...{ executions, mostEvents, ledgerBytes: getBytes('ledger'), serviceBytes: getBytes('service') },
      heapBytes: process.memoryUsage().heapUsed,
      pages: world.site.listAll().length,
    };
  }

  try {
    world.start();
    for (const act of scenario.acts)
      kernel.schedule(act.at, null, () => beginAct(world, act, { alone: !atBadMoments }));
    startOperator(world);
    for (let quarter = 1; quarter <= 4 && oracle.breaches.length === 0; quarter++) {
      await kernel.play(() => oracle.breaches.length > 0, (forMs * quarter) / 4 - kernel.elapsed);
      figures.push(takeFigures());
      onFigures(figures.at(-1)!);
    }
    world.isGood = true;
    if (oracle.breaches.length === 0) await playToEnd(world, Number.POSITIVE_INFINITY);
    return {
      ...{ figures, times: countTimes(forMs), acts: acts.length, charged: oracle.charged },
      ...{ events: kernel.events, digest: kernel.digest(), breaches: oracle.breaches },
    };
  } finally {
    await world.close();
  }
}

function countTimes(forMs: number): number {
  let times = 0;
  for (const { cron, timezone } of SCHEDULES.values()) {
    const [calendar, zone] = [parseCron(cron), getZone(timezone)];
    for (let at = findNext(calendar, zone, EPOCH); at !== null && at <= EPOCH + forMs; times++) {
      at = findNext(calendar, zone, at);
    }
  }
  return times;
}
