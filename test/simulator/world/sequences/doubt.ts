import { pick } from '../../../support/seeded.ts';
import { startRuns } from '../acts/runs.ts';
import { leaveReview, listReviews } from '../operator.ts';
import type { Sequence } from './sequence.ts';
import {
  allowToday,
  awaitIdle,
  buy,
  buyAll,
  cancelAll,
  change,
  HOUR,
  MINUTE,
  MORNING,
  publish,
  publishSome,
  runAndDie,
  runAndSend,
  startWorkers,
  stopTemporal,
  until,
} from './steps.ts';

const DAY = 24 * HOUR;

/** A batch may be charged, and nobody knows. */
export const DOUBT_SEQUENCES = {
  /**
   * A batch is charged and its answer lost; fifteen hours later it is sent again in vain, and fifteen hours after that the
   * service no longer knows its key. Its list fails meanwhile: a worker that has read it before goes on without it. So no
   * worker dies: Temporal is away.
   */
  'two doubts in thirty hours': {
    world: { forgetsKeys: true },
    async play(world, _act, random) {
      const { kernel, meets } = world;
      await buyAll(world);
      publishSome(world, random, 'w0', 'doubt');
      const stopForHours = () => stopTemporal(world, () => 14 + random() * 3, 'fifteen hours');
      meets.set('w0', 'drop-after');
      await runAndSend(world, 'w0');
      await stopForHours();
      meets.set('w0', 'drop-before');
      void world.suffer('the list fails', 80 * MINUTE);
      // Without its list the service is trusted again after ten minutes.
      await kernel.sleep(5 * MINUTE);
      await world.nextSubmission();
      await stopForHours();
      meets.delete('w0');
      await kernel.sleep(2 * HOUR);
    },
  },
  /** A worker dies with a batch under way, the next attempt is surely refused, and the operator takes back what may be. */
  'died, refused, cancelled': {
    world: { listLagMs: 20 * MINUTE, runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'doubt');
      await runAndDie(world, 'w0');
      world.meets.set('w0', 'later');
      const sent = world.nextSubmission();
      startWorkers(world);
      await sent;
      await world.kernel.sleep(10_000);
      await cancelAll(world);
      world.meets.delete('w0');
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(30 * MINUTE);
    },
  },
  /** An answer is lost in one of several ways, and the operator takes back what may be. */
  'lost, cancelled': {
    world: { listLagMs: 20 * MINUTE, runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'doubt');
      world.meets.set('w0', pick(random, ['drop-after', 'unavailable-after', 'error-after']));
      await runAndSend(world, 'w0');
      await world.kernel.sleep(5_000 + random() * 60_000);
      await cancelAll(world);
      world.meets.delete('w0');
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(30 * MINUTE);
    },
  },
  /** An answer is lost, and a gateway then finds the same batch too large, or one of its URLs bad. */
  'lost, then split': {
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'doubt', 2);
      world.meets.set('w0', pick(random, ['drop-after', 'error-after']));
      await runAndSend(world, 'w0');
      world.meets.set('w0', pick(random, ['oversized', 'invalid']));
      await world.kernel.sleep(20 * MINUTE);
    },
  },
  /** Pages change, and are crawled again, while the batch that bought them has no answer. */
  'changed while in doubt': {
    world: { runsUntil: 'planned' },
    async play(world, _act, random) {
      await buyAll(world);
      const urls = publishSome(world, random, 'w0', 'doubt');
      world.meets.set('w0', 'drop-after');
      await runAndSend(world, 'w0');
      await world.kernel.sleep(10_000 + random() * MINUTE);
      change(world, 'w0', urls, '2026-02-02');
      await startRuns(world, { sitemaps: ['w0'] });
      await world.kernel.sleep(10 * MINUTE);
      world.meets.delete('w0');
      await awaitIdle(world);
    },
  },
  /** A batch must be looked up, and the list fails for hours: other batches must not wait for it. */
  'the list fails for hours': {
    async play(world, _act, random) {
      await buyAll(world);
      publishSome(world, random, 'w0', 'doubt', 2);
      world.meets.set('w0', 'drop-after');
      await runAndSend(world, 'w0');
      world.meets.set('w0', pick(random, ['oversized', 'invalid']));
      void world.suffer('the list fails', 5 * HOUR);
      // The watch that was served more comes last.
      for (const part of ['served', 'served-again', 'served-more', 'served-most'])
        await buy(world, 'w1', publish(world, 'w1', part, 1));
      await world.kernel.sleep(20 * MINUTE);
      const urls = publishSome(world, random, 'w1', 'free');
      await startRuns(world, { sitemaps: ['w1'] });
      await world.kernel.sleep(90 * MINUTE);
      world.oracle.requireBought(urls, 'only the list failed, and only a batch of another watch needs it');
      await world.kernel.sleep(4 * HOUR);
    },
  },
  /** The clocks of all are a day ahead when an answer is lost, and right again when the batch is looked up. */
  'clock set back after a lost answer': {
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
  /** A batch without an answer whose watch is removed needs review; an operator leaves it, and it counts for the cap. */
  'in review, and left, beside a cap': {
    world: { epoch: MORNING, configuresPrice: true, listLagMs: 60 * MINUTE },
    async play(world, _act, random) {
      const { kernel, settings } = world;
      await buyAll(world);
      publishSome(world, random, 'w0', 'lost', 2);
      world.meets.set('w0', 'drop-after');
      await runAndSend(world, 'w0');
      await kernel.sleep(5_000);
      const watches = new Map([...settings.watches].filter(([, sitemap]) => sitemap !== 'w0'));
      await allowToday(world, 0, { watches });
      await until(world, () => listReviews(world).length > 0, 30 * MINUTE);
      for (const review of listReviews(world)) await leaveReview(world, review);
      publishSome(world, random, 'w1', 'next', 1);
      await startRuns(world, { sitemaps: ['w1'] });
      await kernel.sleep(HOUR);
    },
  },
} satisfies Record<string, Sequence>;
