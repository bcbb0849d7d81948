import { startRuns } from '../acts/runs.ts';
import { POISON, SITE } from '../site.ts';
import type { Sequence } from './sequence.ts';
import {
  allowToday,
  buy,
  buyAll,
  computeCost,
  HOUR,
  MINUTE,
  MORNING,
  publishSome,
  runAndDie,
  stayAway,
} from './steps.ts';

/** The service says something in another way than ours does. */
export const ANSWER_SEQUENCES = {
  /** What a batch cost is reported as the price of one URL, and a cap allows little more than that batch. */
  'reported the price of one': {
    world: { epoch: MORNING, configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      world.meets.set('w0', 'reported the price of one').set('w1', 'reported the price of one');
      const first = publishSome(world, random, 'w0', 'first', 4);
      const second = publishSome(world, random, 'w1', 'second', 4);
      await allowToday(world, computeCost(world, [...first, ...second.slice(0, 2)]));
      await buy(world, 'w0', first);
      await startRuns(world, { sitemaps: ['w1'] });
      await world.kernel.sleep(30 * MINUTE);
    },
  },
  /** One page of a batch is bad. The answer names its position, and counts from one. */
  'bad page, position from one': {
    async play(world, _act, random) {
      const { site, kernel } = world;
      await buyAll(world);
      const good = publishSome(world, random, 'w0', 'good', 3);
      const bad = { url: `${SITE}/w0/good/${Math.floor(random() * good.length)}${POISON}`, lastmod: '2026-01-01' };
      site.publish('w0', [...site.list('w0'), bad]);
      world.meets.set('w0', 'position from one');
      await startRuns(world, { sitemaps: ['w0'] });
      await kernel.sleep(HOUR);
      world.oracle.requireBought(good, 'another page of their batch was refused an hour ago');
    },
  },
  /** A batch is charged and its worker dies. A day later its key is forgotten, and the list shows its job with another count. */
  'lost, and the list counts otherwise': {
    world: { forgetsKeys: true },
    async play(world, _act, random) {
      const { kernel } = world;
      await buyAll(world);
      publishSome(world, random, 'w0', 'doubt');
      await runAndDie(world, 'w0');
      void world.suffer('the list counts otherwise', 6 * HOUR);
      await stayAway(world, () => 25 + random() * 5, 'a day');
      await kernel.sleep(3 * HOUR);
    },
  },
} satisfies Record<string, Sequence>;
