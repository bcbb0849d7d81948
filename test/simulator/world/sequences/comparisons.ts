import { pick } from '../../../support/seeded.ts';
import { startChecks, startRuns } from '../acts/runs.ts';
import { SITE } from '../site.ts';
import { SAMPLED } from './checks.ts';
import { submitElsewhere } from './other-program.ts';
import type { Sequence } from './sequence.ts';
import { awaitIdle, buy, buyAll, HOUR, MINUTE, publish, publishSome, runAndSend, startWorkers } from './steps.ts';

/** The service's list is compared with the ledger, and has more than what one reader expects. */
export const COMPARISON_SEQUENCES = {
  /**
   * Batches of two watches are charged and in doubt. The workers start again, and index-checks and the dispatcher compare the
   * list with the ledger at once: what one of them records, the others must not take for unknown.
   */
  'two comparisons at once': {
    world: { workers: 2, storageShare: 0.5, runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      for (const sitemap of ['w0', 'w1']) await buy(world, sitemap, publish(world, sitemap, 'many', SAMPLED));
      await awaitIdle(world);
      for (const sitemap of ['w0', 'w1']) {
        publishSome(world, random, sitemap, 'doubt');
        world.meets.set(sitemap, 'drop-after');
      }
      await startRuns(world, { sitemaps: ['w0', 'w1'] });
      await world.kernel.sleep(MINUTE);
      world.meets.set('w0', 'later').set('w1', 'later');
      await world.kernel.sleep((1 + random() * 5) * MINUTE);
      for (const worker of world.workers) worker.crash();
      startWorkers(world);
      await startChecks(world);
      await world.kernel.sleep(30 * MINUTE);
      world.meets.clear();
      await awaitIdle(world);
    },
  },
  /**
   * A batch is lost before it arrives. Another program of the account, another ledger with tags of its own, has bought these
   * pages and one more. A gateway then refuses the batch: it is looked up.
   */
  'lost beside a job of another program': {
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'lost', 2);
      world.meets.set('w0', 'drop-before');
      await runAndSend(world, 'w0');
      await submitElsewhere(world, [...urls, `${SITE}/elsewhere/0`], random);
      world.meets.set('w0', pick(random, ['oversized', 'invalid']));
      await world.kernel.sleep(40 * MINUTE);
      world.oracle.requireBought(urls, 'only another program has bought them, in a job with another tag');
      await world.kernel.sleep(HOUR);
    },
  },
} satisfies Record<string, Sequence>;
