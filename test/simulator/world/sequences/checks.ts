import { startChecks } from '../acts/runs.ts';
import { AMPLE } from '../scenario.ts';
import type { Sequence } from './sequence.ts';
import { awaitIdle, buy, buyAll, HOUR, MINUTE, publish } from './steps.ts';

/** The URLs whose state is asked for, one in ten, are some of these. */
const SAMPLED = 40;

export const CHECK_SEQUENCES = {
  /** An index-check is charged and has no answer, and its watch moves to another account. */
  'check in doubt, then another account': {
    world: { second: { sitemaps: ['w1'], balance: AMPLE, trouble: null } },
    async play(world, _act, random) {
      await buyAll(world);
      await buy(world, 'w0', publish(world, 'w0', 'many', SAMPLED));
      await awaitIdle(world);
      void world.suffer('answers to checks are lost', HOUR);
      await startChecks(world);
      await world.kernel.sleep((1 + random() * 3) * MINUTE);
      world.oracle.changeAccount('w0');
      await world.reconfigure({ secondAccount: new Set(['w0', 'w1']) });
      await world.kernel.sleep(10 * MINUTE);
      await startChecks(world);
      await world.kernel.sleep(2 * HOUR);
    },
  },
} satisfies Record<string, Sequence>;
