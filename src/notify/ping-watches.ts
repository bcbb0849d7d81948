import type { Config } from '../config/config.ts';
import type { AddressReference } from '../config/notify.ts';
import { findPingedRun, recordPing } from '../ledger/notices/pings.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { getWatchFigures } from '../ledger/reports/watch-figures.ts';

/** A run that ended longer ago was over before this ledger pinged anybody. */
const NEW_MS = 15 * 60_000;

/**
 * Pings the monitor of each watch whose last run was complete, once for each run. A ping that fails is sent again at the
 * next call; the others are not held up by it.
 */
export async function pingWatches(
  ledger: Ledger,
  { watches }: Config,
  ping: (address: AddressReference) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  for (const { id, ping: address } of watches.values()) {
    if (address === null) continue;
    const { lastRun } = await getWatchFigures(ledger, id);
    if (lastRun === null || !lastRun.succeeded) continue;
    const before = await findPingedRun(ledger, id);
    if (before === lastRun.run) continue;
    try {
      if (before !== null || ledger.now() - lastRun.endedAt < NEW_MS) await ping(address);
      await recordPing(ledger, id, lastRun.run);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
