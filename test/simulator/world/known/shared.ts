import { startRuns } from '../acts/runs.ts';
import {
  awaitIdle,
  buyAll,
  change,
  list,
  MINUTE,
  publishSome,
  runAll,
  runAndWait,
  unlist,
} from '../sequences/steps.ts';
import type { KnownBreach } from './known-breach.ts';

/** Pages that two watches list. */
export const KNOWN_OF_SHARED = {
  'seen while another watch buys it, then changed': {
    finding: 'S2',
    cause:
      'src/ledger/plans/resubmission.ts drops a page that is due as new once another watch has bought it, whatever version of it that was, so a change between the first look and the next run is lost',
    expects: /^bought: \S+ was not bought as it is listed, although its watch has shown a later date/,
    world: { runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'shared');
      list(world, 'w1', urls, '2026-01-01');
      await runAndWait(world, 'w0');
      // It knows them as planned by the other one.
      await startRuns(world, { sitemaps: ['w1'] });
      await world.kernel.sleep(MINUTE);
      world.meets.delete('w0');
      await world.kernel.sleep(15 * MINUTE);
      await awaitIdle(world);
      unlist(world, 'w0', urls);
      change(world, 'w1', urls, '2026-02-02');
      await runAll(world);
      await runAll(world);
      world.oracle.requireBought(urls, 'its watch has shown a later date');
    },
  },
} satisfies Record<string, KnownBreach>;
