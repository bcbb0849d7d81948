import { LedgerError } from '../../../../src/ledger/ledger-error.ts';
import { startRuns } from '../acts/runs.ts';
import { listHeldRuns } from '../operator.ts';
import { applyPlan, filePlan } from '../plan-file.ts';
import type { Sequence } from './sequence.ts';
import { awaitIdle, buyAll, computeCost, HOUR, MINUTE, publishSome, setPrice, touchAll, until } from './steps.ts';

/** What people are shown before they decide bounds what is bought then. */
export const DECISION_SEQUENCES = {
  'a plan, a rise, and its application': {
    world: { configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'planned', 3);
      const plan = (await filePlan(world, 'w0'))!;
      world.oracle.said({ run: plan.run, by: 'the plan', cost: plan.cost, urls });
      const rise = () => setPrice(world, 4 * world.scenario.price);
      const isBefore = random() < 0.5;
      if (isBefore) await rise();
      await applyPlan(world, plan, { approvedBy: null }).catch((error: unknown) => {
        if (!(error instanceof LedgerError && error.code === 'STALE_PLAN')) throw error;
        world.kernel.trace('the plan is out of date');
      });
      if (!isBefore) await rise();
      await world.kernel.sleep(HOUR);
      await awaitIdle(world);
    },
  },
  'a hold, a rise, and its approval': {
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
} satisfies Record<string, Sequence>;
