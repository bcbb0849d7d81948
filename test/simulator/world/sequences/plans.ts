import { micros } from '../../../../contract/money.ts';
import { startRuns } from '../acts/runs.ts';
import type { World } from '../world.ts';
import type { Sequence } from './sequence.ts';
import {
  allowToday,
  awaitIdle,
  buyAll,
  computeCost,
  copyLedger,
  HOUR,
  LATE_MS,
  MINUTE,
  MORNING,
  publish,
  restoreLedger,
  runAndSend,
  setPrice,
  startWorkers,
} from './steps.ts';

const BATCH_URLS = 3;
/** Statements take so long that one batch fills a transaction, or a few share it. */
const PLANS = { batchUrls: BATCH_URLS, statementMs: 400, epoch: MORNING, configuresPrice: true } as const;

/** Enough for four to seven batches. */
const publishMany = (world: World, random: () => number, sitemap: string, part: string): readonly string[] =>
  publish(world, sitemap, part, 3 * BATCH_URLS + 1 + Math.floor(random() * 3 * BATCH_URLS));

/** What the runs that are being planned have planned by now. */
function countPlanned({ stores }: World): number {
  const row = stores.read.ledger
    .prepare(
      'SELECT coalesce(sum(planned_batches), 0) AS batches FROM runs WHERE planned_at IS NULL AND ended_at IS NULL',
    )
    .get();
  return (row as { batches: number }).batches;
}

/** Waits until so many batches of a run are planned, of which the last may not be committed, and kills all workers. */
async function dieInPlan(world: World, random: () => number, batches: number): Promise<void> {
  for (let waited = 0; countPlanned(world) < batches && waited < 5 * MINUTE; waited += 5) await world.kernel.sleep(5);
  await world.kernel.sleep(random() * 20);
  for (const worker of world.workers) worker.crash();
  // What was not committed is undone.
  await world.kernel.sleep(1_000);
  world.kernel.trace(`${countPlanned(world)} batches are planned, and the rest is not`);
}

function terminateRun({ temporal, kernel }: World, sitemap: string): void {
  const run = temporal.listRunning().find(({ workflowId }) => workflowId.includes(`/${sitemap}/`));
  if (run === undefined) return;
  temporal.terminate(run);
  kernel.trace(`the operator has terminated ${run.workflowId}`);
}

/** A plan has several batches, and something happens between two of its transactions. */
export const PLAN_SEQUENCES = {
  'plan dies again and again': {
    world: { ...PLANS, statementMs: 150, runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishMany(world, random, 'w0', 'many');
      await startRuns(world, { sitemaps: ['w0'] });
      for (let batches = 1; batches < 3; batches += 1) {
        await dieInPlan(world, random, batches);
        startWorkers(world);
      }
      await world.kernel.sleep(HOUR);
      world.oracle.requireBought(urls, 'one run plans all of them, in several batches');
    },
  },
  /** The caps allow what is planned by then, and a part of the rest: the plans of two watches share it. */
  'caps fall between two batches': {
    world: { ...PLANS, runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishMany(world, random, 'w0', 'many');
      publishMany(world, random, 'w1', 'others');
      await startRuns(world, { sitemaps: ['w0', 'w1'] });
      await dieInPlan(world, random, 1);
      const planned = BATCH_URLS * countPlanned(world);
      await allowToday(world, computeCost(world, urls.slice(Math.ceil((random() * (urls.length - planned)) / 2))));
      await world.kernel.sleep(HOUR);
    },
  },
  /**
   * The first batch of a run that may cost so much at most is planned, the plan is interrupted, and the price rises. An
   * operator may have terminated the run: then its plan never goes on.
   */
  'run with a limit dies, then a rise': {
    world: { ...PLANS, runsUntil: 'planned' },
    async play(world, _act, random) {
      const { oracle, kernel, scenario, meets } = world;
      await buyAll(world);
      // Somebody sends meanwhile.
      publish(world, 'w1', 'waits', 1);
      meets.set('w1', 'later');
      await runAndSend(world, 'w1');
      const urls = publishMany(world, random, 'w0', 'limited');
      const maxCost = micros(computeCost(world, urls.slice(2)));
      const before = oracle.getSpent('watchPerDay', ['w0']);
      await startRuns(world, { sitemaps: ['w0'], maxCost });
      await dieInPlan(world, random, 1);
      if (random() < 0.5) terminateRun(world, 'w0');
      const risen = Math.ceil(urls.length / BATCH_URLS) * scenario.price;
      await setPrice(world, risen);
      await world.reconfigure({ price: risen });
      await kernel.sleep(HOUR);
      const spent = oracle.getSpent('watchPerDay', ['w0']) - before;
      if (spent > maxCost) oracle.breach(`a run that may cost ${maxCost} has cost ${spent}`);
      meets.delete('w1');
    },
  },
  /** A cap allows what an earlier run has found; a later one finds pages that come first in the order of the URLs. */
  'held, then more found': {
    world: { ...PLANS, runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      const held = publishMany(world, random, 'w0', 'later-in-order');
      await allowToday(world, 0);
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(10 * MINUTE);
      // The operator approves the run within that time, and it ends.
      await awaitIdle(world);
      publishMany(world, random, 'w0', 'earlier-in-order');
      await allowToday(world, computeCost(world, held));
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(HOUR);
      world.oracle.requireBought(held, 'the cap allows them, and they have waited longest');
    },
  },
  /** The copy has the first batches of a plan. What was planned and bought after it comes again, with other pages or without. */
  'copy in the middle of a plan': {
    world: { ...PLANS, jobMs: 3 * MINUTE },
    async play(world, _act, random) {
      await buyAll(world);
      publishMany(world, random, 'w0', 'many');
      await startRuns(world, { sitemaps: ['w0'] });
      await dieInPlan(world, random, 1 + Math.floor(random() * 2));
      copyLedger(world);
      startWorkers(world);
      await world.kernel.sleep(10 * MINUTE);
      await awaitIdle(world);
      await world.kernel.sleep(LATE_MS);
      await restoreLedger(world, { losesTemporal: random() < 0.5 });
      if (random() < 0.5) publish(world, 'w0', 'earlier-in-order', 1 + Math.floor(random() * 3));
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(HOUR);
      await awaitIdle(world);
    },
  },
} satisfies Record<string, Sequence>;
