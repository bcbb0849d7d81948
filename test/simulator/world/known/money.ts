import { micros } from '../../../../contract/money.ts';
import { administer } from '../../../../service/accounts/administration.ts';
import { resolveNeedsReview } from '../../../../src/ledger/batches/resolve-review.ts';
import { getAccountStatus } from '../../../../src/ledger/money/account-status.ts';
import type { AccountId, BatchId } from '../../../../src/submission/ids.ts';
import { SERVICE_NAMES } from '../account-names.ts';
import { startChecks, startRuns } from '../acts/runs.ts';
import { CHECKS } from '../configuration.ts';
import { AMPLE } from '../scenario.ts';
import {
  allowToday,
  awaitIdle,
  buy,
  buyAll,
  computeCost,
  HOUR,
  MINUTE,
  MORNING,
  publish,
  publishSome,
  runAndSend,
  setPrice,
  until,
} from '../sequences/steps.ts';
import type { World } from '../world.ts';
import type { KnownBreach } from './known-breach.ts';

const DAY = 24 * HOUR;
const LIRA = 1_000_000;
const ALL_CHECKED = { ...CHECKS, sample: 1 };

/** All other watches than that of this sitemap. */
const without = ({ settings }: World, sitemap: string) =>
  new Map([...settings.watches].filter(([, each]) => each !== sitemap));

/** Caps, the floor, prices, clocks and what is charged. */
export const KNOWN_OF_MONEY = {
  'checks beyond the cap of their watch': {
    finding: 'M1',
    cause: 'src/ledger/index-checks/begin-check.ts asks index_check.per_day in place of the caps of the watch',
    expects: /^caps: .* by watchPerDay for w0, when chk_/,
    explains: ({ rule, cause, beyond = 0, ofChecks = 0 }) =>
      rule === 'caps' && (cause === 'check watchPerDay' || cause === 'check watchPerMonth') && beyond <= ofChecks,
    world: { epoch: MORNING, configuresPrice: true, policy: { checks: ALL_CHECKED } },
    async play(world, _act, _random) {
      await buyAll(world);
      await buy(world, 'w0', publish(world, 'w0', 'many', 20));
      await awaitIdle(world);
      const watchPerDay = world.oracle.getSpent('watchPerDay', ['w0', 'w1']) + LIRA;
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, watchPerDay } }));
      await startChecks(world);
      await world.kernel.sleep(HOUR);
    },
  },
  'checks that show the price of one URL': {
    finding: 'H1',
    cause: 'src/ledger/index-checks/record-check.ts believes any charge between nothing and ten times the expected one',
    expects: /^index-checks: \d+ was spent for index-checks of w0 in a day, of at most/,
    world: { epoch: MORNING, policy: { checks: { ...ALL_CHECKED, perDay: 5 * LIRA } } },
    async play(world, _act, _random) {
      await buyAll(world);
      await buy(world, 'w0', publish(world, 'w0', 'many', 60));
      await awaitIdle(world);
      void world.suffer('checks show the price of one', 6 * HOUR);
      for (let n = 0; n < 6; n++) {
        await startChecks(world);
        await world.kernel.sleep(20 * MINUTE);
      }
    },
  },
  'clock set back after a lost answer': {
    finding: 'L1',
    cause: 'src/submission/reconcile.ts and begin-send.ts believe a time that lies in the future',
    expects: /^each version once: \S+ was bought again/,
    world: { epoch: MORNING, workers: 1, runsUntil: 'planned', forgetsKeys: false },
    async play(world, _act, random) {
      const { kernel, meets } = world;
      await buyAll(world);
      publishSome(world, random, 'w0', 'ahead');
      kernel.epoch += DAY;
      kernel.trace('the clocks are a day ahead');
      meets.set('w0', 'drop-after');
      await runAndSend(world, 'w0');
      await kernel.sleep(5_000);
      kernel.epoch -= DAY;
      kernel.trace('the clocks are right again');
      meets.delete('w0');
      // The service's clock was right all the time: after a day it forgets the key.
      for (let hours = 0; hours < 50; hours++) {
        await kernel.sleep(HOUR);
        if (hours >= 22) world.stores.forgetKeys(kernel.now() + 2 * DAY);
      }
    },
  },
  'charges rounded to the kurus': {
    finding: 'J1',
    cause: 'src/ledger/money/price.ts ignores a charge that is no whole amount for each URL',
    expects: /^caps: .* by watchPerRun for w0/,
    world: { epoch: MORNING, configuresPrice: true, runsUntil: 'accepted' },
    async play(world, _act, _random) {
      const { kernel } = world;
      await buyAll(world);
      void world.suffer('charges are rounded', 20 * DAY);
      await setPrice(world, 997_500);
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, watchPerRun: 10 * LIRA } }));
      for (let night = 0; night < 3; night++) {
        publish(world, 'w0', `night${night}`, 37);
        await startRuns(world, { sitemaps: ['w0'] });
        await kernel.sleep(3 * HOUR);
      }
    },
  },
  'a total that is called a price': {
    finding: 'T1',
    cause: 'src/api-client/read/submission.ts reads the price of an acceptance as that of each URL',
    expects: /^charges: .* the ledger says/,
    world: { configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      world.meets.set('w0', 'showed the total as price');
      await buy(world, 'w0', publishSome(world, random, 'w0', 'total', 20));
      world.meets.delete('w0');
      await awaitIdle(world);
    },
  },
  'a check in flight, and its watch is removed': {
    finding: 'F1',
    cause: 'src/ledger/money/spend.ts counts a check that only its own watch can end',
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
  'no money, a lower cap, then money': {
    finding: 'N1',
    cause: 'activities/dispatch.ts takes a batch that is beyond its cap for short of money',
    expects: /^reports: main is said to be short of money/,
    world: { epoch: MORNING, configuresPrice: true, runsUntil: 'planned' },
    async play(world, { salt }, random) {
      const { kernel, oracle } = world;
      await buyAll(world);
      const accounts = administer(world.stores.service);
      const all = world.readBalance('main');
      oracle.spendElsewhere(SERVICE_NAMES.main, all);
      await accounts.move(SERVICE_NAMES.main, 'adjustment', {
        ...{ amount: micros(-all), reason: 'another program', reference: `elsewhere-${salt}` },
      });
      publishSome(world, random, 'w0', 'dear', 6);
      await runAndSend(world, 'w0');
      await kernel.sleep(10 * MINUTE);
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, watchPerRun: 2 * world.scenario.price } }));
      await kernel.sleep(5 * MINUTE);
      await accounts.topUp(SERVICE_NAMES.main, micros(AMPLE));
      await kernel.sleep(3 * HOUR);
      const { suspended } = await getAccountStatus(await world.openOperatorLedger(), 'main' as AccountId);
      if (suspended !== null)
        oracle.breach(`main is said to be short of money (${suspended.code}), three hours after its top-up`, {
          rule: 'reports',
        });
    },
  },
  'in review, and left, beside a cap': {
    finding: 'E1',
    cause: 'src/ledger/batches/transitions.ts takes a batch that an operator leaves out of all caps',
    expects: /^caps: .* by perDay for w1/,
    world: { epoch: MORNING, configuresPrice: true, listLagMs: 60 * MINUTE },
    async play(world, _act, random) {
      const { kernel, stores } = world;
      await buyAll(world);
      publishSome(world, random, 'w0', 'lost', 2);
      world.meets.set('w0', 'drop-after');
      await runAndSend(world, 'w0');
      await kernel.sleep(5_000);
      await allowToday(world, 0, { watches: without(world, 'w0') });
      const find = () => stores.read.ledger.prepare(`SELECT id FROM batches WHERE state = 'needs_review'`).get();
      await until(world, () => find() !== undefined, 30 * MINUTE);
      const batch = find() as { readonly id: BatchId } | undefined;
      if (batch !== undefined) await resolveNeedsReview(await world.openOperatorLedger(), batch.id, 'leave');
      publishSome(world, random, 'w1', 'next', 1);
      await startRuns(world, { sitemaps: ['w1'] });
      await kernel.sleep(HOUR);
    },
  },
} satisfies Record<string, KnownBreach>;
