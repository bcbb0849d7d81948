import { micros } from '../../../../contract/money.ts';
import { administer } from '../../../../service/accounts/administration.ts';
import { SERVICE_NAMES } from '../account-names.ts';
import { startRuns } from '../acts/runs.ts';
import type { Sequence } from './sequence.ts';
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
  runAndWait,
  setPrice,
} from './steps.ts';

/** Longer than a risen price may stay unnoticed. */
const NOTICED_MS = 65 * MINUTE;

/** What limits spending changes while batches wait. */
export const CAP_SEQUENCES = {
  'cap falls while a batch waits': {
    world: { epoch: MORNING, configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'waits', 3);
      await runAndWait(world, 'w0');
      await allowToday(world, computeCost(world, urls.slice(1)));
      world.meets.delete('w0');
      await world.kernel.sleep(30 * MINUTE);
    },
  },
  /** A batch is charged and in doubt, and another one waits that would spend the same money again. */
  'in doubt beside a cap': {
    world: { epoch: MORNING, configuresPrice: true, listLagMs: 40 * MINUTE },
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'lost', 2);
      const waiting = publishSome(world, random, 'w1', 'waits', 2);
      world.meets.set('w0', 'drop-after').set('w1', 'later');
      await startRuns(world);
      await world.kernel.sleep(2 * MINUTE);
      // The oracle has seen the charge of the first one.
      await allowToday(world, computeCost(world, waiting.slice(1)));
      world.meets.delete('w1');
      await world.kernel.sleep(20 * MINUTE);
    },
  },
  /** The watch of a batch in doubt is removed: an operator must decide, and until then its cost counts. */
  'in review beside a cap': {
    world: { epoch: MORNING, configuresPrice: true, listLagMs: 60 * MINUTE },
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'lost', 2);
      world.meets.set('w0', 'drop-after');
      await runAndSend(world, 'w0');
      await world.kernel.sleep(5_000);
      const { watches } = world.settings;
      // The oracle has seen the charge: the cap leaves nothing for another batch.
      await allowToday(world, 0, { watches: new Map([...watches].filter(([, sitemap]) => sitemap !== 'w0')) });
      await world.kernel.sleep(MINUTE);
      publishSome(world, random, 'w1', 'next', 2);
      await startRuns(world, { sitemaps: ['w1'] });
      await world.kernel.sleep(15 * MINUTE);
      world.meets.delete('w0');
      await world.reconfigure({ watches });
    },
  },
  /** Another program spends what a floor was to keep, after the balance was read. */
  'old balance beside a floor': {
    world: { configuresPrice: true },
    async play(world, { salt }, random) {
      await buyAll(world);
      const { price } = world.scenario;
      await world.reconfigure({ floor: world.readBalance('main') - 40 * price });
      await buy(world, 'w0', publishSome(world, random, 'w0', 'first'));
      const amount = micros(world.settings.floor + price - world.readBalance('main'));
      world.oracle.spendElsewhere(SERVICE_NAMES.main, -amount);
      await administer(world.stores.service).move(SERVICE_NAMES.main, 'adjustment', {
        ...{ amount, reason: 'another program', reference: `elsewhere-${salt}` },
      });
      world.kernel.trace(`another program spends ${-amount}`);
      await world.kernel.sleep((12 + random() * 20) * MINUTE);
      publishSome(world, random, 'w0', 'second', 3);
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(30 * MINUTE);
    },
  },
  /** The answer to a batch that was charged at the old price comes after one at the new price. */
  'old answer after a rise': {
    world: { epoch: MORNING, configuresPrice: false },
    async play(world, _act, random) {
      await buyAll(world);
      const risen = 3 * world.scenario.price;
      world.meets.set('w0', 'drop-after');
      publishSome(world, random, 'w0', 'old');
      await runAndSend(world, 'w0');
      await world.kernel.sleep(10_000);
      await setPrice(world, risen);
      await buy(world, 'w1', publish(world, 'w1', 'new', 1 + Math.floor(random() * 3)));
      world.meets.delete('w0');
      await world.kernel.sleep(NOTICED_MS);
      await awaitIdle(world);
      await allowToday(world, 5 * risen);
      publish(world, 'w1', 'more', 10);
      await startRuns(world, { sitemaps: ['w1'] });
      await world.kernel.sleep(30 * MINUTE);
    },
  },
  /** A batch waits, and costs more than it did when it is sent. */
  'price rises while a batch waits': {
    world: { epoch: MORNING, configuresPrice: false },
    async play(world, _act, random) {
      await buyAll(world);
      const { price } = world.scenario;
      const waiting = publishSome(world, random, 'w0', 'waits', 6);
      await allowToday(world, computeCost(world, waiting) + 4 * price);
      await runAndWait(world, 'w0');
      await setPrice(world, 3 * price);
      await buy(world, 'w1', publish(world, 'w1', 'new', 1));
      await world.kernel.sleep(NOTICED_MS);
      world.meets.delete('w0');
      await world.kernel.sleep(30 * MINUTE);
    },
  },
  'cap of a month on its second day': {
    world: { epoch: MORNING, configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      const first = publishSome(world, random, 'w0', 'first', 4);
      await buy(world, 'w0', first);
      await world.reconfigure(({ caps }) => ({
        caps: { ...caps, perMonth: world.oracle.getSpent('perMonth', ['w0', 'w1']) + world.scenario.price },
      }));
      await awaitIdle(world);
      world.kernel.epoch += 86_400_000;
      publish(world, 'w0', 'second', 4);
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(30 * MINUTE);
    },
  },
  /** A run that may cost so much at most waits, and the price rises above that. */
  'run with a limit, then a rise': {
    world: { epoch: MORNING, configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      const { price } = world.scenario;
      const urls = publishSome(world, random, 'w0', 'limited', 3);
      const maxCost = micros(computeCost(world, urls));
      world.meets.set('w0', 'later');
      const sent = world.nextSubmission();
      await startRuns(world, { sitemaps: ['w0'], maxCost });
      await sent;
      await world.kernel.sleep(10_000);
      world.oracle.setUnwanted(urls, `the run that planned it may cost ${maxCost} at most`);
      await setPrice(world, 2 * price);
      await world.reconfigure({ price: 2 * price });
      world.meets.delete('w0');
      await world.kernel.sleep(HOUR);
      world.oracle.setUnwanted(urls, null);
    },
  },
  /** A batch fills the cap of its run, and then costs more than all of it. */
  'batch above its cap': {
    world: { epoch: MORNING, configuresPrice: true, runsUntil: 'accepted' },
    async play(world, _act, random) {
      await buyAll(world);
      const { price } = world.scenario;
      const urls = publishSome(world, random, 'w0', 'dear', 3);
      world.meets.set('w0', 'later');
      await world.reconfigure(({ caps }) => ({ caps: { ...caps, watchPerRun: computeCost(world, urls) } }));
      await runAndSend(world, 'w0');
      await world.kernel.sleep(10_000);
      await setPrice(world, 1.25 * price);
      await world.reconfigure({ price: 1.25 * price });
      world.meets.delete('w0');
      await world.kernel.sleep(3 * HOUR);
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(3 * HOUR);
      if (world.oracle.countBought(urls) === 0)
        world.oracle.breach('a batch that costs more than its cap stops its watch');
    },
  },
  /** More batches of a watch wait for its cap than are read at a time: those of another watch must not. */
  'twelve batches may not be sent': {
    world: { epoch: MORNING, configuresPrice: true, runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      world.meets.set('w0', 'later in parts');
      publishSome(world, random, 'w0', 'many', 17);
      await runAndSend(world, 'w0');
      await world.kernel.sleep(15 * MINUTE);
      const spent = world.oracle.getSpent('watchPerDay', ['w0']);
      await world.reconfigure(({ caps }) => ({
        caps: {
          ...caps,
          watchPerDay: Math.max(spent, world.oracle.getSpent('watchPerDay', ['w1']) + 3 * world.scenario.price),
        },
      }));
      world.meets.delete('w0');
      await world.kernel.sleep(10 * MINUTE);
      // The watch that was served last comes last.
      await buy(world, 'w1', publish(world, 'w1', 'served', 1));
      const urls = publish(world, 'w1', 'free', 1);
      await startRuns(world, { sitemaps: ['w1'] });
      await world.kernel.sleep(HOUR);
      world.oracle.requireBought(urls, 'only batches of another watch wait for its cap');
    },
  },
} satisfies Record<string, Sequence>;
