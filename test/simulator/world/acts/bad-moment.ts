import { pick } from '../../../support/seeded.ts';
import type { Outage } from '../faults.ts';
import { type ActKind, makePages } from '../scenario.ts';
import type { World } from '../world.ts';
import type { Play } from './play.ts';
import { startRuns } from './runs.ts';

const MINUTE = 60_000;

/** New pages are found, so that batches are planned. */
export const startSending: Play = async (world, { salt }, random) => {
  const { site, scenario } = world;
  const isOne = random() < 0.5;
  for (const watch of isOne ? [pick(random, [...scenario.watches.keys()])] : scenario.watches.keys()) {
    const part = site.nameNew(watch, `b${salt}`);
    const pages = makePages(random, watch, part, 1 + Math.floor(random() * 10), { fails: scenario.fails });
    site.publish(watch, [...site.list(watch), ...pages]);
  }
  await startRuns(world);
};

/** The worker that sends the first batch is killed: its answer is lost, and other batches wait behind it. */
export const crashWhileSending: Play = async (world, act, random) => {
  await startSending(world, act, random);
  await world.crashAtSubmission();
};

/** What follows a lost answer: a refusal says nothing about the attempt before it. */
const AFTER_LOSS: readonly Outage[] = ['nothing is taken', 'batches are refused'];

/** Batches are charged and in doubt, planned and refused, or first the one and then the other, and stay so for a while. */
const sufferWhileSending: Play = async (world, act, random) => {
  const forMs = (5 + Math.floor(random() * 30)) * MINUTE;
  const isLost = random() < 0.7;
  if (random() < 0.3) void world.suffer('the list fails', forMs);
  const first = world.suffer(isLost ? 'answers are lost' : 'nothing is taken', isLost ? 2 * MINUTE : forMs);
  await startSending(world, act, random);
  await world.awaitSubmission();
  if (isLost && random() < 0.7) {
    await first;
    void world.suffer(pick(random, AFTER_LOSS), forMs);
    await world.awaitSubmission();
  }
  await world.kernel.sleep(Math.floor(random() * 2 * MINUTE));
};

/** What comes half of the time while batches are under way. */
export const AT_BAD_MOMENTS: ReadonlySet<ActKind> = new Set([
  ...(['lower cap', 'raise floor', 'change price', 'remove watch', 'rename watch', 'move pages'] as const),
  ...(['restore ledger', 'lose temporal', 'jump clock', 'reset', 'cancel batch', 'recover', 'suffer'] as const),
  ...(['refuse key', 'cut off worker', 'change pages'] as const),
]);

export async function atBadMoment(world: World, act: Parameters<Play>[1], random: () => number): Promise<void> {
  if (!AT_BAD_MOMENTS.has(act.kind) || random() < 0.5) return;
  await (random() < 0.4 ? crashWhileSending : sufferWhileSending)(world, act, random);
}
