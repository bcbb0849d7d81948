import { startChecks, startRuns } from '../acts/runs.ts';
import { CHECKS } from '../configuration.ts';
import { allowToday, awaitIdle, buy, buyAll, computeCost, HOUR, MINUTE, MORNING, publish } from '../sequences/steps.ts';
import type { World } from '../world.ts';
import type { KnownBreach } from './known-breach.ts';

const DAY = 24 * HOUR;
const ALL_CHECKED = { ...CHECKS, sample: 1 };

/** All other watches than that of this sitemap. */
const without = ({ settings }: World, sitemap: string) =>
  new Map([...settings.watches].filter(([, each]) => each !== sitemap));

/** Caps, the floor, prices, clocks and what is charged. */
export const KNOWN_OF_MONEY = {
  'a check in flight, and its watch is removed': {
    finding: 'F1',
    cause: 'src/ledger/index-checks counts a check that only its own watch can end',
    expects: /^bought: \S+ was not bought as it is listed, although the check was charged days ago/,
    world: { epoch: MORNING, configuresPrice: true, policy: { checks: ALL_CHECKED } },
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
} satisfies Record<string, KnownBreach>;
