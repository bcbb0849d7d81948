import { pick } from '../../../support/seeded.ts';
import { CAP_NAMES } from '../oracle/caps-rule.ts';
import type { World } from '../world.ts';
import { NOTHING, type Play } from './play.ts';

export const CONFIGURATION_PLAYS = {
  /** A cap falls to what is spent in its window, or a little more, or below what a batch costs, and is lifted later. */
  async 'lower cap'(world, act, random) {
    const { oracle, kernel, scenario } = world;
    const name = pick(random, CAP_NAMES);
    const isFar = random() < 0.5;
    const set = (most: number) =>
      world.reconfigure(({ caps }) => {
        const spent = name === 'watchPerRun' || isFar ? 0 : oracle.getSpent(name, scenario.watches.keys());
        return { caps: { ...caps, [name]: spent + Math.floor(random() * most) * scenario.price } };
      });
    await set(isFar ? 3 : 30);
    await kernel.sleep(act.forMs);
    if (random() < 0.5) await set(60);
    else await world.reconfigure(({ caps }) => ({ caps: { ...caps, [name]: null } }));
  },
  async 'raise floor'(world, act, random) {
    const balance = world.readBalance(world.pickAccount(random));
    const floor = Math.max(0, balance - Math.floor(random() * 30) * world.scenario.price);
    await world.reconfigure({ floor });
    await world.kernel.sleep(act.forMs);
    await world.reconfigure({ floor: 0 });
  },
  async 'remove watch'(world, act, random) {
    const sitemap = pickSitemap(world, random);
    let name: string | undefined;
    // It may get another name, or be removed, before the workers have stopped.
    await world.reconfigure(({ watches }) => {
      name = findName(watches, sitemap);
      if (name === undefined) return {};
      world.removed.add(sitemap!);
      return { watches: without(watches, name) };
    });
    if (name === undefined) return NOTHING;
    await world.kernel.sleep(act.forMs);
    await world.reconfigure(({ watches }) => ({ watches: new Map([...watches, [name!, sitemap!]]) }));
    world.removed.delete(sitemap!);
  },
  async 'rename watch'(world, _act, random) {
    const sitemap = pickSitemap(world, random);
    let name: string | undefined;
    await world.reconfigure(({ watches }) => {
      name = findName(watches, sitemap);
      return name === undefined ? {} : { watches: new Map([...without(watches, name), [`${name}r`, sitemap!]]) };
    });
    if (name === undefined) return NOTHING;
  },
  /** A watch belongs to the other account from now on, or for a while. */
  async 'change account'(world, { forMs }, random) {
    const { secondAccount, watches } = world.settings;
    if (secondAccount === null || watches.size === 0) return NOTHING;
    const sitemap = pick(random, [...watches.values()]);
    // Nobody names an account that the configuration lacks.
    const change = () =>
      world.reconfigure(({ secondAccount: now, missingAccounts: { size } }) =>
        size > 0 ? {} : { secondAccount: toggle(now ?? new Set(), sitemap) },
      );
    world.oracle.changeAccount(sitemap);
    await change();
    if (random() < 0.6) return;
    await world.kernel.sleep(forMs);
    await change();
  },
} satisfies Record<string, Play>;

const toggle = (set: ReadonlySet<string>, name: string): ReadonlySet<string> =>
  set.has(name) ? new Set([...set].filter((each) => each !== name)) : new Set([...set, name]);

/** Of a watch that is configured now. */
const pickSitemap = ({ settings }: World, random: () => number): string | undefined =>
  pick(random, [...settings.watches.values()]);

const findName = (watches: ReadonlyMap<string, string>, sitemap: string | undefined): string | undefined =>
  [...watches].find(([, each]) => each === sitemap)?.[0];

const without = (watches: ReadonlyMap<string, string>, name: string) =>
  new Map([...watches].filter(([each]) => each !== name));
