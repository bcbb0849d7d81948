import { recover } from '../operator.ts';
import { getListLagMs } from '../scenario.ts';
import { crashWhileSending, startSending } from './bad-moment.ts';
import type { Play } from './play.ts';

/** Longer than a request that its client has given up may still travel. */
const LATE_MS = 200_000;
const DAY = 86_400_000;

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
    await world.whileStopped(async () => {
      world.wasRestored = true;
      await world.stores.restore();
      world.oracle.restoreLedger();
      world.labels.restored();
      world.kernel.trace('the ledger is a copy');
      if (random() < 0.4) await world.loseTemporal();
      await world.kernel.sleep(LATE_MS + getListLagMs(world.scenario));
      if (random() < 0.5) await recover(world);
    });
    if (isFocused) await startSending(world, { ...act, salt: act.salt + 2 }, random);
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
