import { moveAccount } from '../../../../src/ledger/money/account.ts';
import { pick } from '../../../support/seeded.ts';
import { type AccountName, SERVICE_NAMES } from '../account-names.ts';
import { NEW_ADDRESS, OTHER_SERVICE, SERVICE } from '../addresses.ts';
import { getAccount, type OperatorSettings } from '../configuration.ts';
import type { Installing } from '../keys.ts';
import type { World } from '../world.ts';
import { NOTHING, type Play } from './play.ts';
import { startRuns, wake } from './runs.ts';

const INSTALLING: readonly Installing[] = ['in its place', 'by a restart', 'by a reload'];

/** One operator at a time moves accounts. */
const alone =
  (play: Play): Play =>
  async (world, act, random) => {
    if (world.isMoving) return NOTHING;
    world.isMoving = true;
    const done = await play(world, act, random);
    world.isMoving = false;
    return done;
  };

/** Whether the connector has bought something for an account: its service is known. Another program may have jobs there. */
function hasBought({ stores }: World, account: AccountName): boolean {
  const row = stores.read.service
    .prepare(
      `SELECT 1 FROM submissions
       WHERE account_id = (SELECT id FROM accounts WHERE name = ?) AND idempotency_key LIKE 'sc1-%'`,
    )
    .get(SERVICE_NAMES[account]);
  return row !== undefined;
}

type Places = OperatorSettings['places'];

/** Another address or key for one account. */
const change = (places: Places, account: AccountName, place: Partial<Places[AccountName]>): Places => ({
  ...places,
  [account]: { ...places[account], ...place },
});

/** No watch belongs to the first account, whether or not it is configured now. */
const isUnused = ({ scenario }: World, settings: OperatorSettings): boolean =>
  [...scenario.watches.keys()].every((sitemap) => getAccount(settings, sitemap) !== 'main');

/** All watches of the first account belong to the second one from now on. */
async function moveWatches(world: World): Promise<void> {
  const sitemaps = [...world.scenario.watches.keys()];
  for (const sitemap of sitemaps)
    if (getAccount(world.settings, sitemap) === 'main') world.oracle.changeAccount(sitemap);
  await world.reconfigure({ secondAccount: new Set(sitemaps) });
}

/**
 * The first account has the key of the second one for a while, and another address besides. Nobody rotates keys meanwhile: a new
 * one would be lost when the first place comes back.
 */
const confuse = (world: World, forMs: number, random: () => number, other: Partial<Places['main']>): Promise<boolean> =>
  world.keys.rotate('main', async () => {
    const { main } = world.settings.places;
    const keyVariable = await world.keys.createWrong('second');
    await world.reconfigure(({ places }) => ({ places: change(places, 'main', { ...other, keyVariable }) }));
    if (random() < 0.7) await startRuns(world);
    await world.kernel.sleep(60_000 + forMs);
    await world.reconfigure(({ places }) => ({ places: change(places, 'main', main) }));
  });

export const SERVICE_PLAYS = {
  /** The configuration names the address and a key of another service under the name of an account, for a while. */
  'name another service': alone(async (world, { forMs }, random) => {
    if (world.scenario.services?.isSecondElsewhere !== true || !hasBought(world, 'main')) return NOTHING;
    const isPlayed = await confuse(world, forMs, random, { address: OTHER_SERVICE });
    if (isPlayed && random() < 0.5) await moveWatches(world);
    if (!isPlayed) return NOTHING;
  }),
  /** An account has the key of another account of its service, for a while. */
  'wrong key': alone(async (world, { forMs }, random) => {
    if (world.scenario.services?.isSecondElsewhere !== false || !hasBought(world, 'main')) return NOTHING;
    if (!(await confuse(world, forMs, random, {}))) return NOTHING;
  }),
  /** Another account name for another service, as the guide says. In some worlds nobody keeps the first one at first. */
  'move to another service': alone(async (world, { forMs }, random) => {
    await moveWatches(world);
    if (random() < 0.7) await startRuns(world);
    if (random() < 0.6) return;
    await world.reconfigure((settings) => ({ missingAccounts: new Set(isUnused(world, settings) ? ['main'] : []) }));
    await world.kernel.sleep(60_000 + forMs);
    await world.reconfigure({ missingAccounts: new Set() });
  }),
  /** The same service has another address, and the first one may be closed. */
  'service moves': alone(async (world, { forMs }, random) => {
    const moving = world.accounts.filter((account) => world.settings.places[account].address === SERVICE);
    if (moving.length === 0) return NOTHING;
    if (random() < 0.5) world.closed.add(SERVICE);
    await world.kernel.sleep(random() * forMs);
    await world.reconfigure(({ places }) => {
      for (const account of moving) if (hasBought(world, account)) world.unconfirmed.add(account);
      return { places: moving.reduce((all, account) => change(all, account, { address: NEW_ADDRESS }), places) };
    });
    if (random() < 0.5) await startRuns(world);
    await world.kernel.sleep(random() * forMs);
    for (const account of moving) {
      const configured = world.readConfig().accounts.get(account as never);
      if (configured === undefined) continue;
      world.unconfirmed.delete(account);
      await moveAccount(await world.openOperatorLedger(), configured);
    }
    if (random() < 0.5) await wake(world);
  }),
  /** The service has the new key first, and the old one works on for a while, or for less than that. */
  async 'rotate key'(world, { forMs }, random) {
    const account = world.pickAccount(random);
    const how = pick(random, INSTALLING);
    const isLate = random() < 0.3;
    const isPlayed = await world.keys.rotate(account, async (old) => {
      const key = await world.keys.create(account);
      await world.kernel.sleep(random() * forMs);
      if (isLate) await world.keys.revoke(old);
      if (isLate) await world.kernel.sleep(random() * forMs);
      await world.keys.install(account, key, how, random);
      if (isLate) return;
      await world.kernel.sleep(random() * forMs);
      await world.keys.revoke(old);
    });
    if (!isPlayed) return NOTHING;
  },
  /** The configuration has the new key first. */
  async 'rotate key early'(world, { forMs }, random) {
    const account = world.pickAccount(random);
    const how = pick(random, INSTALLING);
    const isPlayed = await world.keys.rotate(account, async (old) => {
      const { key, activate } = await world.keys.createEarly(account);
      await world.keys.install(account, key, how, random);
      await world.kernel.sleep(random() * forMs);
      activate();
      await world.keys.revoke(old);
    });
    if (random() < 0.5) await wake(world);
    if (!isPlayed) return NOTHING;
  },
  /** The file of the key is away for a while. */
  async 'key file away'(world, { forMs }, random) {
    const account = world.pickAccount(random);
    const isPlayed = await world.keys.rotate(account, async () => {
      const fill = world.keys.empty(account);
      await world.kernel.sleep(random() < 0.5 ? 1_000 + random() * 30_000 : forMs);
      fill();
    });
    if (!isPlayed) return NOTHING;
  },
} satisfies Record<string, Play>;
