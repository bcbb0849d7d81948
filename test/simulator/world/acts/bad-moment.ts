import { pick } from '../../../support/seeded.ts';
import { type ActKind, makePages } from '../scenario.ts';
import type { World } from '../world.ts';
import type { Play } from './play.ts';
import { startRuns } from './runs.ts';

const MINUTE = 60_000;

/** New pages are found, so that batches are planned. */
const startSending: Play = async (world, { salt }, random) => {
  const { site, scenario } = world;
  const isOne = random() < 0.5;
  for (const watch of isOne ? [pick(random, [...scenario.watches.keys()])] : scenario.watches.keys()) {
    const pages = makePages(random, watch, `b${salt}`, 1 + Math.floor(random() * 10), { fails: scenario.fails });
    site.publish(watch, [...site.list(watch), ...pages]);
  }
  await startRuns(world);
};

/** The worker that sends the first batch is killed: its answer is lost, and other batches wait behind it. */
export const crashWhileSending: Play = async (world, act, random) => {
  await startSending(world, act, random);
  await world.crashAtSubmission();
};

/** Batches are charged and in doubt, or planned and refused, and stay so for a while. */
const sufferWhileSending: Play = async (world, act, random) => {
  const outage = random() < 0.6 ? 'answers are lost' : 'nothing is taken';
  void world.suffer(outage, (5 + Math.floor(random() * 30)) * MINUTE);
  await startSending(world, act, random);
  await world.awaitSubmission();
  await world.kernel.sleep(Math.floor(random() * 2 * MINUTE));
};

/** What comes half of the time while batches are under way. */
const AT_BAD_MOMENTS: ReadonlySet<ActKind> = new Set([
  ...(['lower cap', 'raise floor', 'change price', 'remove watch', 'rename watch', 'move pages'] as const),
  ...(['restore ledger', 'lose temporal', 'jump clock', 'reset', 'cancel batch', 'recover', 'suffer'] as const),
  ...(['refuse key', 'cut off worker', 'change pages'] as const),
]);

export async function atBadMoment(world: World, act: Parameters<Play>[1], random: () => number): Promise<void> {
  if (!AT_BAD_MOMENTS.has(act.kind) || random() < 0.5) return;
  await (random() < 0.4 ? crashWhileSending : sufferWhileSending)(world, act, random);
}
