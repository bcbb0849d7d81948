import { startChecks, startRuns } from '../acts/runs.ts';
import { CHECKS } from '../configuration.ts';
import type { Sequence } from './sequence.ts';
import { awaitIdle, buy, buyAll, HOUR, MINUTE, MORNING, publish, publishSome, setPrice } from './steps.ts';

const DAY = 24 * HOUR;
const LIRA = 1_000_000;
const ALL_CHECKED = { ...CHECKS, sample: 1 };

/** Services that show what they charge in other words. */
export const CHARGE_SEQUENCES = {
  'checks that show the price of one URL': {
    world: { epoch: MORNING, policy: { checks: { ...ALL_CHECKED, perDay: 5 * LIRA } } },
    async play(world, _act, _random) {
      await buyAll(world);
      await buy(world, 'w0', publish(world, 'w0', 'many', 60));
      await awaitIdle(world);
      void world.suffer('checks show the price of one', 6 * HOUR);
      for (let n = 0; n < 6; n++) {
        await startChecks(world);
        await world.kernel.sleep(20 * MINUTE);
      }
    },
  },
  'charges rounded to the kurus': {
    world: { epoch: MORNING, configuresPrice: true, runsUntil: 'accepted' },
    async play(world, _act, _random) {
      const { kernel } = world;
      await buyAll(world);
      void world.suffer('charges are rounded', 20 * DAY);
      await setPrice(world, 997_500);
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, watchPerRun: 10 * LIRA } }));
      for (let night = 0; night < 3; night++) {
        publish(world, 'w0', `night${night}`, 37);
        await startRuns(world, { sitemaps: ['w0'] });
        await kernel.sleep(3 * HOUR);
      }
    },
  },
  'a total that is called a price': {
    world: { configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      world.meets.set('w0', 'showed the total as price');
      await buy(world, 'w0', publishSome(world, random, 'w0', 'total', 20));
      world.meets.delete('w0');
      await awaitIdle(world);
    },
  },
} satisfies Record<string, Sequence>;
