import { pick } from '../../../support/seeded.ts';
import type { World } from '../world.ts';
import { NOTHING, type Play } from './play.ts';
import { startRuns } from './runs.ts';

const rename = (world: World, from: string, to: string): Promise<void> =>
  world.reconfigure(({ watches }) => ({
    watches: new Map([...watches].map(([name, sitemap]) => [name === from ? to : name, sitemap])),
  }));

/** A watch that is configured, and that no other act takes away now; undefined: there is none. */
const pickName = (world: World, random: () => number): string | undefined =>
  pick(
    random,
    [...world.settings.watches].filter(([, sitemap]) => !world.removed.has(sitemap)).map(([name]) => name),
  );

/** What people do to the names of watches, and undo. */
export const NAME_PLAYS = {
  /** A watch gets another name, is run, and has its old name again later. */
  async 'rename and back'(world, { forMs }, random) {
    const name = pickName(world, random);
    if (name === undefined) return NOTHING;
    await rename(world, name, `${name}x`);
    if (random() < 0.7) await startRuns(world);
    await world.kernel.sleep(forMs);
    if (!world.settings.watches.has(`${name}x`) || world.settings.watches.has(name)) return;
    await rename(world, `${name}x`, name);
    world.happenings.add('a watch has its name back');
  },
  /** A watch is commented out, and there again after a day. */
  async 'comment out for a day'(world, { forMs }, random) {
    const name = pickName(world, random);
    const sitemap = world.settings.watches.get(name ?? '');
    if (name === undefined || sitemap === undefined) return NOTHING;
    world.removed.add(sitemap);
    await world.reconfigure(({ watches }) => ({ watches: new Map([...watches].filter(([each]) => each !== name)) }));
    await world.kernel.sleep(forMs);
    await world.reconfigure(({ watches }) => ({ watches: new Map([...watches, [name, sitemap]]) }));
    world.removed.delete(sitemap);
    world.happenings.add('a watch is back after a day');
  },
} satisfies Record<string, Play>;
