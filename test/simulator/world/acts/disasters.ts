import { recover } from '../operator.ts';
import { getListLagMs } from '../scenario.ts';
import type { World } from '../world.ts';
import { crashWhileSending, startSending } from './bad-moment.ts';
import { NOTHING, type Play } from './play.ts';

/** Longer than a request that its client has given up may still travel. */
const LATE_MS = 200_000;
const DAY = 86_400_000;
/** By then a worker has written down what it has read. */
const WRITTEN_MS = 10_000;
/** A process remembers the jobs of an hour. */
const MOST_REMEMBERED_MS = 40 * 60_000;

/** The copy comes back while no worker runs. */
const comeBack = (world: World, random: () => number): Promise<void> =>
  world.whileStopped(async () => {
    world.wasRestored = true;
    await world.stores.restore();
    world.oracle.restoreLedger();
    world.labels.restored();
    world.kernel.trace('the ledger is a copy');
    if (random() < 0.4) await world.loseTemporal();
    await world.kernel.sleep(LATE_MS + getListLagMs(world.scenario));
    if (random() < 0.5) await recover(world);
  });

export const DISASTER_PLAYS = {
  /**
   * A copy of the ledger comes back after a while. Temporal keeps its state, or loses it as well. In a focused seed the
   * copy lacks a purchase, and other pages are planned after it is back. Nobody starts a worker on it before the list shows all
   * that was sent: what no list shows is unknown, and bought again.
   */
  async 'restore ledger'(world, act, random) {
    const { isFocused } = world.scenario;
    world.stores.backUp();
    world.oracle.copyLedger();
    if (isFocused) {
      await startSending(world, { ...act, salt: act.salt + 1 }, random);
      await world.nextSubmission();
    }
    await world.kernel.sleep(act.forMs);
    await comeBack(world, random);
    if (isFocused) await startSending(world, { ...act, salt: act.salt + 2 }, random);
  },
  /**
   * A copy takes the place of the ledger under the only worker, which remembers the jobs of the last hour that the service accepted
   * from it. Where it may not know one (it was started again, or an answer is lost), the workers are stopped before, as the guide says.
   */
  async 'restore under workers'(world, act, random) {
    const { stores, oracle, workers, kernel } = world;
    const [worker] = workers;
    const host = worker?.host;
    if (workers.length > 1 || host === null || host === undefined || world.isStopped) return NOTHING;
    stores.backUp();
    oracle.copyLedger();
    await startSending(world, { ...act, salt: act.salt + 1 }, random);
    await world.nextSubmission();
    await kernel.sleep(WRITTEN_MS + Math.min(act.forMs, MOST_REMEMBERED_MS));
    if (worker?.host !== host || world.isStopped || oracle.hasDoubts) {
      await comeBack(world, random);
      return;
    }
    world.wasRestored = true;
    stores.replace();
    oracle.restoreLedger();
    world.labels.restored();
    kernel.trace('the ledger is a copy, under its worker');
    await startSending(world, { ...act, salt: act.salt + 2 }, random);
  },
  /** What a killed worker had sent is in doubt for a day or longer. */
  async 'stop workers for days'(world, act, random) {
    const { kernel } = world;
    await crashWhileSending(world, act, random);
    await world.whileStopped(async () => {
      await kernel.sleep(LATE_MS);
      const ms = Math.floor((0.7 + random() * 2) * DAY);
      kernel.epoch += ms;
      kernel.trace(`the workers were away for ${ms} ms`);
      if (random() < 0.5) void world.suffer('the list fails', Math.floor((15 + random() * 45) * 60_000));
    });
  },
  'lose temporal': (world) => world.whileStopped(() => world.loseTemporal()),
  /** Of all machines: forward by hours or days, or back by minutes. */
  async 'jump clock'({ kernel }, _act, random) {
    const ms = random() < 0.3 ? -Math.floor(random() * 600_000) : Math.floor(random() ** 2 * 3 * DAY);
    kernel.epoch += ms;
    kernel.trace(`the clocks jump by ${ms} ms`);
  },
} satisfies Record<string, Play>;
