import { pick } from '../../../support/seeded.ts';
import { startRuns } from '../acts/runs.ts';
import type { World } from '../world.ts';
import type { Sequence } from './sequence.ts';
import {
  awaitIdle,
  buy,
  buyAll,
  change,
  copyLedger,
  HOUR,
  MINUTE,
  publish,
  publishSome,
  restoreLedger,
  runAndSend,
} from './steps.ts';

const toLastmod = ({ kernel }: World): string => new Date(kernel.now()).toISOString();

/** A copy of the ledger comes back that lacks what was bought since. */
export const COPY_SEQUENCES = {
  'copy, then more pages': {
    world: { jobMs: 3 * MINUTE },
    async play(world, _act, random) {
      await buyAll(world);
      copyLedger(world);
      await buy(world, 'w0', publishSome(world, random, 'w0', 'lost'));
      await awaitIdle(world);
      await restoreLedger(world, { losesTemporal: random() < 0.5 });
      publish(world, 'w0', 'more', 1 + Math.floor(random() * 3));
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(HOUR);
      await awaitIdle(world);
    },
  },
  /** Nothing shows what the copy lacks: the list cannot be read. */
  'copy while the list fails': {
    world: { jobMs: 3 * MINUTE },
    async play(world, _act, random) {
      const { oracle, kernel } = world;
      await buyAll(world);
      copyLedger(world);
      await buy(world, 'w0', publishSome(world, random, 'w0', 'lost'));
      await awaitIdle(world);
      void world.suffer('the list fails', Math.floor((1 + random() * 3) * HOUR));
      await restoreLedger(world, { losesTemporal: random() < 0.5 });
      const urls = publishSome(world, random, 'w0', 'more');
      await startRuns(world, { sitemaps: ['w0'] });
      await kernel.sleep(6 * HOUR);
      await startRuns(world, { sitemaps: ['w0'] });
      await kernel.sleep(HOUR);
      oracle.requireBought(urls, 'the list can be read again');
    },
  },
  /** What the copy lacks is the purchase of a change, and the pages change once more before the account is recovered. */
  'copy between two changes': {
    world: { jobMs: 3 * MINUTE },
    async play(world, _act, random) {
      const { oracle, kernel } = world;
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'changing');
      await buy(world, 'w0', urls);
      await awaitIdle(world);
      copyLedger(world);
      await kernel.sleep(5 * MINUTE);
      change(world, 'w0', urls, toLastmod(world));
      await runAndSend(world, 'w0');
      await kernel.sleep(MINUTE);
      await awaitIdle(world);
      await restoreLedger(world, { losesTemporal: random() < 0.5 });
      change(world, 'w0', urls, toLastmod(world));
      // Other bytes than those of the purchase that the copy lacks, or the same bytes with the same key.
      if (random() < 0.5) publish(world, 'w0', 'more', 1);
      await startRuns(world, { sitemaps: ['w0'] });
      await kernel.sleep(HOUR);
      await awaitIdle(world);
      await startRuns(world, { sitemaps: ['w0'] });
      await kernel.sleep(HOUR);
      oracle.requireBought(urls, 'they have changed since the copy came back');
    },
  },
  /** What the copy lacks is the purchase of a change, which a crawl then finds again. */
  'copy before a change': {
    world: { jobMs: 3 * MINUTE },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'changing');
      await buy(world, 'w0', urls);
      await awaitIdle(world);
      copyLedger(world);
      await world.kernel.sleep(5 * MINUTE);
      change(world, 'w0', urls, toLastmod(world));
      await runAndSend(world, 'w0');
      await world.kernel.sleep(MINUTE);
      await awaitIdle(world);
      await restoreLedger(world, { losesTemporal: random() < 0.5 });
      // Else the same pages are planned in the batch in which the lost ledger bought them, with its key.
      publish(world, 'w0', 'more', 1 + Math.floor(random() * 3));
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(HOUR);
      await awaitIdle(world);
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(HOUR);
    },
  },
  /** The job that the copy lacks goes on for hours. */
  'copy that lacks an open job': {
    world: { jobMs: 2 * HOUR, runsUntil: 'accepted' },
    async play(world, _act, random) {
      await buyAll(world);
      copyLedger(world);
      await buy(world, 'w0', publishSome(world, random, 'w0', 'lost'));
      // It is older than what a worker lists again by itself.
      await world.kernel.sleep(30 * MINUTE);
      await restoreLedger(world, { losesTemporal: true });
      publish(world, 'w0', 'more', 1 + Math.floor(random() * 3));
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(HOUR);
      await awaitIdle(world, 12 * HOUR);
    },
  },
  /** The copy was made while a job was open that has ended since, and so has what polled it. */
  'copy of an open job': {
    world: { jobMs: 20 * MINUTE, runsUntil: 'accepted' },
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'open');
      await runAndSend(world, 'w0');
      await world.kernel.sleep(MINUTE);
      copyLedger(world);
      await awaitIdle(world);
      await restoreLedger(world, { losesTemporal: false });
      publish(world, 'w1', 'next', 1);
      await startRuns(world, { sitemaps: ['w1'] });
      await world.kernel.sleep(HOUR);
      await awaitIdle(world);
    },
  },
  /** The copy has the batch of a run that waits for its job; nobody sends any more when it comes back. */
  'copy of a batch that waits': {
    world: { jobMs: 2 * HOUR, runsUntil: 'terminal' },
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'waits');
      world.meets.set('w0', pick(random, ['later', 'payment']));
      await runAndSend(world, 'w0');
      await world.kernel.sleep(5_000);
      copyLedger(world);
      world.meets.delete('w0');
      await world.kernel.sleep(HOUR);
      await restoreLedger(world, { losesTemporal: false });
      if (!(await awaitIdle(world, 12 * HOUR))) world.oracle.breach('a run waits for a batch that nobody sends');
    },
  },
} satisfies Record<string, Sequence>;
