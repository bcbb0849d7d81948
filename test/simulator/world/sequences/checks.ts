import { startChecks, startRuns } from '../acts/runs.ts';
import { CHECKS } from '../configuration.ts';
import { AMPLE } from '../scenario.ts';
import type { World } from '../world.ts';
import type { Sequence } from './sequence.ts';
import { allowToday, awaitIdle, buy, buyAll, computeCost, HOUR, MINUTE, MORNING, publish } from './steps.ts';

/** The URLs whose state is asked for, one in ten, are some of these. */
export const SAMPLED = 40;
const DAY = 24 * HOUR;
const YEAR = 366 * DAY;

/** All other watches than that of this sitemap. */
const without = ({ settings }: World, sitemap: string) =>
  new Map([...settings.watches].filter(([, each]) => each !== sitemap));
const LIRA = 1_000_000;
const ALL_CHECKED = { ...CHECKS, sample: 1 };

/** How many index-checks a database has. */
export function countChecks({ stores }: World, database: 'ledger' | 'service'): number {
  const table = database === 'ledger' ? 'checks' : 'index_checks';
  const row = stores.read[database].prepare(`SELECT count(*) AS checks FROM ${table}`).get();
  return (row as { checks: number }).checks;
}

export const CHECK_SEQUENCES = {
  /** All index-checks are refused for a while, as those of bad URLs are. A year later they are due again. */
  'checks refused for a while': {
    async play(world, _act, _random) {
      await buyAll(world);
      await buy(world, 'w0', publish(world, 'w0', 'many', SAMPLED));
      await awaitIdle(world);
      void world.suffer('checks are refused', HOUR);
      await startChecks(world);
      await world.kernel.sleep(30 * MINUTE);
      await awaitIdle(world, HOUR);
      const refused = countChecks(world, 'ledger');
      await world.kernel.sleep(HOUR);
      world.kernel.epoch += YEAR;
      world.kernel.trace('a year is over');
      await startChecks(world);
      await world.kernel.sleep(HOUR);
      if (refused > 0 && countChecks(world, 'service') === 0)
        world.oracle.breach('no URL is checked any more, since all checks were refused a year ago');
    },
  },
  /** Checks count together with batches: what they cost is beyond the cap of their watch. */
  'checks beyond the cap of their watch': {
    world: { epoch: MORNING, configuresPrice: true, policy: { checks: ALL_CHECKED } },
    async play(world, _act, _random) {
      await buyAll(world);
      await buy(world, 'w0', publish(world, 'w0', 'many', 20));
      await awaitIdle(world);
      const watchPerDay = world.oracle.getSpent('watchPerDay', ['w0', 'w1']) + LIRA;
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, watchPerDay } }));
      await startChecks(world);
      await world.kernel.sleep(HOUR);
    },
  },
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
  /** An index-check is in flight, and its watch is removed: it counts until its key expires, then on the day of its sends. */
  'check in flight, its watch removed': {
    world: { epoch: MORNING, configuresPrice: true, policy: { checks: { ...CHECKS, sample: 1 } } },
    async play(world, _act, _random) {
      const { kernel } = world;
      await buyAll(world);
      await buy(world, 'w0', publish(world, 'w0', 'many', 30));
      await awaitIdle(world);
      void world.suffer('answers to checks are lost', 2 * HOUR);
      await startChecks(world);
      await kernel.sleep(2 * MINUTE);
      await world.reconfigure({ watches: without(world, 'w0') });
      await kernel.sleep(3 * HOUR);
      kernel.epoch += 4 * DAY;
      kernel.trace('four days are over');
      const urls = publish(world, 'w1', 'other', 2);
      await allowToday(world, computeCost(world, urls));
      await startRuns(world, { sitemaps: ['w1'] });
      await kernel.sleep(2 * HOUR);
      world.oracle.requireBought(urls, 'the check was charged days ago');
    },
  },
} satisfies Record<string, Sequence>;
