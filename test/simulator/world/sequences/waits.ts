import { micros } from '../../../../contract/money.ts';
import { administer } from '../../../../service/accounts/administration.ts';
import { getAccountStatus } from '../../../../src/ledger/money/account-status.ts';
import type { AccountId } from '../../../../src/submission/ids.ts';
import { SERVICE_NAMES } from '../account-names.ts';
import { startChecks, startRuns } from '../acts/runs.ts';
import { CHECKS } from '../configuration.ts';
import { listHeldRuns } from '../operator.ts';
import { AMPLE } from '../scenario.ts';
import type { Sequence } from './sequence.ts';
import {
  awaitIdle,
  buy,
  buyAll,
  cancelAll,
  HOUR,
  MINUTE,
  MORNING,
  publish,
  publishSome,
  runAndSend,
  runAndWait,
  touchAll,
} from './steps.ts';

const DAY = 24 * HOUR;

/** Something is away or wrong for a while, and the connector must go on by itself. */
export const WAIT_SEQUENCES = {
  /** Temporal stops when a batch is charged: its job has no tracker. */
  'no tracker can be started': {
    world: { jobMs: 20 * MINUTE, runsUntil: 'accepted' },
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'untracked');
      await runAndSend(world, 'w0');
      world.temporal.stop();
      await world.kernel.sleep((1 + random() * 5) * MINUTE);
      world.temporal.restart();
      await world.kernel.sleep(HOUR);
      await awaitIdle(world);
    },
  },
  /**
   * Temporal stops when a batch is charged, and stays away. The worker that recorded the job dies; another one, which has sent
   * before, goes on.
   */
  'no tracker, and its worker dies': {
    world: { workers: 2, jobMs: 30 * MINUTE, runsUntil: 'accepted' },
    async play(world, _act, random) {
      await buyAll(world);
      // Both workers have sent by then, as a rule.
      for (const part of ['first', 'second', 'third', 'fourth']) await buy(world, 'w1', publish(world, 'w1', part, 1));
      publishSome(world, random, 'w0', 'untracked');
      await runAndSend(world, 'w0');
      world.temporal.stop();
      await world.kernel.sleep(MINUTE);
      world.sender?.crash();
      await world.kernel.sleep((15 + random() * 30) * MINUTE);
      world.temporal.restart();
      await world.kernel.sleep(HOUR);
      await awaitIdle(world);
    },
  },
  /** The clocks jump while a job is open, by more than a job may take. */
  'job overdue': {
    world: { jobMs: 90 * MINUTE, runsUntil: 'accepted' },
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'slow');
      await runAndSend(world, 'w0');
      await world.kernel.sleep((1 + random() * 20) * MINUTE);
      world.kernel.epoch += 20 * DAY;
      world.kernel.trace('the clocks jump by twenty days');
      await world.kernel.sleep(3 * HOUR);
      await awaitIdle(world);
    },
  },
  'key refused for a while': {
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'refused');
      world.refusedKeys.add('main');
      await runAndSend(world, 'w0');
      await world.kernel.sleep((2 + random() * 30) * MINUTE);
      world.refusedKeys.delete('main');
      await world.kernel.sleep(90 * MINUTE);
      world.oracle.requireBought(urls, 'the key has worked again for ninety minutes');
    },
  },
  /** The account is empty, its balance cannot be understood, and then it is topped up. */
  'topped up, balance unreadable': {
    async play(world, { salt }, random) {
      await buyAll(world);
      const accounts = administer(world.stores.service);
      world.oracle.spendElsewhere(SERVICE_NAMES.main, world.readBalance('main'));
      await accounts.move(SERVICE_NAMES.main, 'adjustment', {
        ...{ amount: micros(-world.readBalance('main')), reason: 'another program', reference: `elsewhere-${salt}` },
      });
      world.hidesBalance = random() < 0.7;
      const urls = publishSome(world, random, 'w0', 'short');
      await runAndSend(world, 'w0');
      await world.kernel.sleep((1 + random() * 10) * MINUTE);
      await accounts.topUp(SERVICE_NAMES.main, micros(AMPLE));
      await world.kernel.sleep(3 * HOUR);
      world.oracle.requireBought(urls, 'the account was topped up three hours ago');
      world.hidesBalance = false;
    },
  },
  /** The key is away when a batch is to be sent. No byte of it left: an operator may take it back. */
  'key away, then cancelled': {
    world: { runsUntil: 'planned' },
    async play(world, _act, random) {
      const { kernel, oracle, keys, meets } = world;
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'waits');
      await runAndWait(world, 'w0');
      meets.delete('w0');
      await keys.rotate('main', async () => {
        const fill = keys.empty('main');
        await kernel.sleep((8 + random() * 20) * MINUTE);
        await cancelAll(world);
        oracle.setUnwanted(urls, 'an operator took their batch back, of which nothing was sent');
        fill();
      });
      await kernel.sleep(HOUR);
      oracle.setUnwanted(urls, null);
    },
  },
  /** A batch waits, and a floor is raised that it would break; then the account is topped up. */
  'topped up above a floor': {
    world: { configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'short', 2);
      await runAndWait(world, 'w0');
      await world.reconfigure({ floor: world.readBalance('main') - world.scenario.price });
      world.meets.delete('w0');
      await world.kernel.sleep((10 + random() * 30) * MINUTE);
      await administer(world.stores.service).topUp(SERVICE_NAMES.main, micros(AMPLE));
      await world.kernel.sleep(HOUR);
      world.oracle.requireBought(urls, 'the account was topped up an hour ago');
    },
  },
  /** The clocks were a day ahead when the balance was read. */
  'clock ahead for a while': {
    world: { epoch: Date.UTC(2026, 2, 10, 10), configuresPrice: true },
    async play(world, _act, random) {
      await buyAll(world);
      await world.reconfigure({ floor: world.readBalance('main') - 40 * world.scenario.price });
      world.kernel.epoch += DAY;
      world.kernel.trace('the clocks jump ahead by a day');
      await buy(world, 'w0', publishSome(world, random, 'w0', 'ahead'));
      await awaitIdle(world);
      world.kernel.epoch -= DAY;
      world.kernel.trace('the clocks are right again');
      await world.kernel.sleep(5 * MINUTE);
      const urls = publishSome(world, random, 'w0', 'right');
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(3 * HOUR);
      world.oracle.requireBought(urls, 'the clocks have been right for three hours');
    },
  },
  /** A deployment touches the lastmod of every page: an operator must approve that. */
  'all lastmods move': {
    async play(world, _act, random) {
      const urls = await touchAll(world, random);
      world.oracle.setUnwanted(urls, 'every page has changed at once, and nobody has approved that');
      await startRuns(world, { sitemaps: ['w0'] });
      for (let waited = 0; listHeldRuns(world).length === 0 && waited < 5 * MINUTE; waited += 200)
        await world.kernel.sleep(200);
      world.oracle.setUnwanted(urls, null);
      await world.kernel.sleep(HOUR);
    },
  },
  'no money, a lower cap, then money': {
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
  /** Only an index-check meets the rejected key, and nothing is to be sent afterwards. */
  'a key that works again, and nothing to send': {
    world: { policy: { checks: { ...CHECKS, sample: 1 } } },
    async play(world, _act, _random) {
      const { kernel } = world;
      await buyAll(world);
      await awaitIdle(world);
      world.refusedKeys.add('main');
      await startChecks(world);
      await kernel.sleep(3 * MINUTE);
      world.refusedKeys.delete('main');
      await kernel.sleep(HOUR);
      await startChecks(world);
      await kernel.sleep(HOUR);
    },
  },
  'a list that can be read again, and nothing to send': {
    world: { policy: { checks: { ...CHECKS, sample: 1 } } },
    async play(world, _act, _random) {
      const { kernel } = world;
      await buyAll(world);
      await awaitIdle(world);
      void world.suffer('the list fails', 30 * MINUTE);
      // A process reads the list before it spends for the first time.
      await world.whileStopped(() => kernel.sleep(MINUTE));
      await startChecks(world);
      await kernel.sleep(2 * HOUR);
    },
  },
} satisfies Record<string, Sequence>;
