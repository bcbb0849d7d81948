import { micros } from '../../../../contract/money.ts';
import { administer } from '../../../../service/accounts/administration.ts';
import { pick } from '../../../support/seeded.ts';
import { SERVICE_NAMES } from '../account-names.ts';
import { describePrice, getLevelPrice, LEVELS } from '../levels.ts';
import type { Play } from './play.ts';

/** What a URL costs beside what it cost at first. */
const FACTORS = [0.4, 0.8, 1, 1.5, 3] as const;

export const LEVEL_PLAYS = {
  /** The service asks other prices, of each level its own; the configuration follows, stays behind, or leaves them to be learned. */
  async 'change both prices'(world, { forMs }, random) {
    const account = SERVICE_NAMES[world.pickAccount(random)];
    const { price: first, standardPrice = first } = world.scenario;
    const price = {
      standard: Math.round(standardPrice * pick(random, FACTORS)),
      fast: Math.round(first * pick(random, FACTORS)),
    };
    world.oracle.changePrice(account, price);
    const accounts = administer(world.stores.service);
    for (const level of LEVELS) await accounts.setPrice(account, level, micros(getLevelPrice(price, level)));
    world.kernel.trace(`a URL costs ${describePrice(price)}`);
    world.happenings.add('both prices change');
    await world.kernel.sleep(forMs);
    if (random() < 0.5) await world.reconfigure({ price: random() < 0.5 ? price : null });
  },
  /** A watch buys at the other level from now on. */
  async 'change level'(world, _act, random) {
    const sitemap = pick(random, [...world.scenario.watches.keys()]);
    world.oracle.changeLevel(sitemap);
    await world.reconfigure(({ levels }) => ({
      levels: new Map(levels).set(sitemap, levels.get(sitemap) === 'standard' ? 'fast' : 'standard'),
    }));
    world.happenings.add('a level changes');
  },
} satisfies Record<string, Play>;
