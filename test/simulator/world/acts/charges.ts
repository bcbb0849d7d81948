import type { Outage } from '../faults.ts';
import { startSending } from './bad-moment.ts';
import type { Play } from './play.ts';

const MINUTE = 60_000;

/** For a while all answers show money in another way, and pages are bought meanwhile. */
const showing =
  (...outages: readonly Outage[]): Play =>
  async (world, act, random) => {
    const forMs = 10 * MINUTE + act.forMs;
    for (const outage of outages) void world.suffer(outage, forMs);
    await startSending(world, act, random);
    await world.kernel.sleep(forMs);
  };

/** How services show what they have charged. */
export const CHARGE_PLAYS = {
  'round charges': showing('charges are rounded'),
  'hide charges': showing('charges are hidden'),
  'call totals prices': showing('totals are called prices'),
  'charge in euros': showing('charges are in euros'),
  'balance in euros': showing('the balance is in euros'),
  'list in euros': showing('the list is in euros'),
  'hide check charges': (world, { forMs }) => world.suffer('check charges are hidden', 30 * MINUTE + 4 * forMs),
} satisfies Record<string, Play>;
