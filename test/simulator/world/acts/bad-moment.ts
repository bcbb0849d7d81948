import { pick } from '../../../support/seeded.ts';
import { makePages } from '../scenario.ts';
import type { World } from '../world.ts';
import type { Play } from './play.ts';
import { startRuns } from './runs.ts';

/**
 * New pages are found, and the worker that sends the first batch is killed: its answer is lost, and other batches wait
 * behind it.
 */
export const crashWhileSending: Play = async (world, { salt }, random) => {
  const { site, scenario } = world;
  const isOne = random() < 0.5;
  for (const watch of isOne ? [pick(random, [...scenario.watches.keys()])] : scenario.watches.keys()) {
    const pages = makePages(random, watch, `b${salt}`, 1 + Math.floor(random() * 10), { fails: scenario.fails });
    site.publish(watch, [...site.list(watch), ...pages]);
  }
  await startRuns(world);
  await world.crashAtSubmission();
};

/** So half of the changes of an operator come. */
export async function atBadMoment(world: World, act: Parameters<Play>[1], random: () => number): Promise<void> {
  if (random() < 0.5) await crashWhileSending(world, act, random);
}
