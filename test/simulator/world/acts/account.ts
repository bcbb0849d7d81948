import { micros } from '../../../../contract/money.ts';
import { administer } from '../../../../service/accounts/administration.ts';
import { pick } from '../../../support/seeded.ts';
import { SERVICE_NAMES } from '../account-names.ts';
import { OUTAGES } from '../faults.ts';
import { AMPLE } from '../scenario.ts';
import { NOTHING, type Play } from './play.ts';
import { wake } from './runs.ts';

export const ACCOUNT_PLAYS = {
  async 'refuse key'(world, { forMs }, random) {
    const account = world.pickAccount(random);
    world.refusedKeys.add(account);
    await world.kernel.sleep(forMs);
    world.refusedKeys.delete(account);
    if (random() < 0.5) await wake(world);
  },
  /** Submissions or the list fail alike for a while. */
  suffer: (world, { forMs }, random) => world.suffer(pick(random, OUTAGES), 60_000 + forMs),
  async 'replace key'(world, { forMs }, random) {
    const isPlayed = await world.keys.replace(world.pickAccount(random), () => world.kernel.sleep(forMs));
    if (random() < 0.5) await wake(world);
    if (!isPlayed) return NOTHING;
  },
  async 'top up'(world, _act, random) {
    await administer(world.stores.service).topUp(SERVICE_NAMES[world.pickAccount(random)], micros(AMPLE));
    if (random() < 0.5) await wake(world);
  },
  /** Another program of the customer spends from the same balance. */
  async 'spend elsewhere'(world, { salt }, random) {
    const account = world.pickAccount(random);
    const amount = micros(-(1 + Math.floor(random() * 20)) * world.scenario.price);
    if (world.readBalance(account) + amount < 0) return NOTHING;
    world.oracle.spendElsewhere(SERVICE_NAMES[account], -amount);
    const movement = { amount, reason: 'another program', reference: `elsewhere-${salt}` };
    await administer(world.stores.service).move(SERVICE_NAMES[account], 'adjustment', movement);
    world.kernel.trace(`another program spends ${-amount}`);
  },
  /** The service asks for another price; the configuration follows, stays behind, or leaves it to be learned. */
  async 'change price'(world, { forMs }, random) {
    const account = world.pickAccount(random);
    const price = Math.round(world.scenario.price * pick(random, [0.2, 0.8, 1.5, 3]));
    const accounts = administer(world.stores.service);
    world.oracle.changePrice(SERVICE_NAMES[account], price);
    for (const level of ['standard', 'fast'] as const)
      await accounts.setPrice(SERVICE_NAMES[account], level, micros(price));
    world.kernel.trace(`the price is ${price}`);
    await world.kernel.sleep(forMs);
    if (random() < 0.5) await world.reconfigure({ price: random() < 0.5 ? price : null });
  },
} satisfies Record<string, Play>;
