import { startChecks, startRuns } from '../acts/runs.ts';
import { listHeldRuns } from '../operator.ts';
import { countChecks, SAMPLED } from './checks.ts';
import type { Sequence } from './sequence.ts';
import { awaitIdle, buy, buyAll, findRuns, HOUR, MINUTE, publish, reset, touchAll, until } from './steps.ts';

/** An operator runs a workflow again from one of its tasks: what it did by then stays done. */
export const RESET_SEQUENCES = {
  /**
   * A held run is approved, and later reset to the task in which it was held: the approval comes once more, before the run is
   * held, and is refused.
   */
  'approved, then reset': {
    async play(world, _act, random) {
      await touchAll(world, random);
      await startRuns(world, { sitemaps: ['w0'] });
      await until(world, () => listHeldRuns(world).length > 0, 5 * MINUTE);
      await until(world, () => listHeldRuns(world).length === 0, HOUR);
      await world.kernel.sleep(random() * 20 * MINUTE);
      const [run] = findRuns(world, 'watchSitemap').reverse();
      const held = run!.tasks.findIndex(({ commands }) =>
        commands.some((command) => command.kind === 'activity' && command.type === 'findDecision'),
      );
      if (held < 0) return;
      reset(world, run!, held);
      if (!(await awaitIdle(world))) world.oracle.breach('a run that was approved waits for another decision');
    },
  },
  /** The results of a job are recorded, its URLs are checked, and its tracker begins again. */
  'checked, then reset': {
    async play(world, _act, random) {
      await buyAll(world);
      await buy(world, 'w0', publish(world, 'w0', 'many', SAMPLED));
      await awaitIdle(world);
      await startChecks(world);
      await world.kernel.sleep(10 * MINUTE);
      await awaitIdle(world);
      const checked = countChecks(world, 'service');
      for (const run of findRuns(world, 'trackSubmission')) reset(world, run, Math.floor(random() * run.tasks.length));
      await world.kernel.sleep(10 * MINUTE);
      await awaitIdle(world);
      await startChecks(world);
      await world.kernel.sleep(HOUR);
      if (countChecks(world, 'service') > checked)
        world.oracle.breach('URLs are checked again, and nothing was bought since they were checked');
    },
  },
} satisfies Record<string, Sequence>;
