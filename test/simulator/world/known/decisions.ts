import { observeCrawl } from '../../../../activities/observe-crawl.ts';
import { runStart } from '../../../../activities/run-start.ts';
import { requireAccount } from '../../../../src/config/config.ts';
import { diffRun } from '../../../../src/ledger/crawl/diff-run.ts';
import { applyPlans, type PlanToApply } from '../../../../src/ledger/plans/apply-plans.ts';
import { previewRuns } from '../../../../src/ledger/plans/preview-runs.ts';
import { judgeRun } from '../../../../src/ledger/runs/judge-run.ts';
import { beginRun, endRun } from '../../../../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../../../../src/submission/ids.ts';
import { watchWorkflowId } from '../../../../src/temporal-api/ids.ts';
import { wakeDispatcher } from '../../../../src/temporal-api/wake-dispatcher.ts';
import { createClient } from '../../temporal/client.ts';
import { startRuns } from '../acts/runs.ts';
import { listHeldRuns } from '../operator.ts';
import {
  awaitIdle,
  buyAll,
  computeCost,
  HOUR,
  MINUTE,
  publishSome,
  setPrice,
  touchAll,
  until,
} from '../sequences/steps.ts';
import type { World } from '../world.ts';
import type { KnownBreach } from './known-breach.ts';

/** `courier plan -o`: what it found and what it would cost, without buying anything. */
async function plan(world: World, name: string): Promise<PlanToApply> {
  const ledger = await world.openOperatorLedger();
  const config = world.readConfig();
  const watch = config.watches.get(name as WatchId)!;
  const run = watchWorkflowId(ledger.id, watch.id, `plan-${world.runs}`) as RunId;
  const input = { watch, account: requireAccount(config, watch.account) };
  await beginRun(ledger, runStart(watch, run));
  const { complete } = await observeCrawl(ledger, watch, run, new AbortController().signal).report;
  await diffRun(ledger, run, { complete, configured: [...config.watches.keys()] });
  await judgeRun(ledger, run, watch.guard, { input });
  await endRun(ledger, run, 'previewed');
  const [previewed] = await previewRuns(ledger, [{ run, input }]);
  return { run, input, digest: previewed!.digest };
}

/** What people are shown before they decide, and what is bought then. */
export const KNOWN_OF_DECISIONS = {
  'a plan, a rise, and its application': {
    finding: 'P1',
    cause: 'src/cli/commands/apply.ts neither asks for the price of now nor keeps the cost of the plan as a limit',
    expects: /^said before: .* the plan said/,
    world: { configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'planned', 3);
      const planned = await plan(world, 'w0');
      world.oracle.said({ run: planned.run, by: 'the plan', cost: computeCost(world, urls), urls });
      await setPrice(world, 4 * world.scenario.price);
      const ledger = await world.openOperatorLedger();
      await applyPlans(ledger, [planned], { approvedBy: null });
      await wakeDispatcher(createClient(world.temporal, world.operator), ledger.id, planned.input.account.id);
      await world.kernel.sleep(HOUR);
      await awaitIdle(world);
    },
  },
  'a hold, a rise, and its approval': {
    finding: 'P2',
    cause: 'the cost that a hold shows is not kept as the cap of its run',
    expects: /^said before: .* the hold said/,
    world: { configuresPrice: true },
    async play(world, _act, random) {
      const urls = await touchAll(world, random);
      await startRuns(world, { sitemaps: ['w0'] });
      await until(world, () => listHeldRuns(world).length > 0, 5 * MINUTE);
      const [run = ''] = listHeldRuns(world);
      world.oracle.said({ run, by: 'the hold', cost: computeCost(world, urls), urls });
      await setPrice(world, 4 * world.scenario.price);
      // The operator approves what waits for ten minutes.
      await world.kernel.sleep(2 * HOUR);
    },
  },
} satisfies Record<string, KnownBreach>;
