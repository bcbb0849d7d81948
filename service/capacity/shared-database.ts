import type { Database, Queryable } from '../../src/database/database.ts';
import type { FairQueue, FairQueueLimits, Timed } from './fair-queue.ts';

/** The database as one customer sees it: every statement and transaction takes its turn in the queue. */
export function shareDatabase(db: Database, queue: FairQueue, customer: string): Database {
  const turn = <T>(work: () => Promise<T>): Promise<T> => queue.run(customer, (timed) => timed(work));
  return {
    ...db,
    all: (query) => turn(() => db.all(query)),
    get: (query) => turn(() => db.get(query)),
    one: (query) => turn(() => db.one(query)),
    run: (query) => turn(() => db.run(query)),
    // Its own work counts, and not the wait for transactions of others and for the disk.
    tx: <T>(work: (tx: Queryable) => Promise<T>) =>
      queue.run(customer, (timed: Timed) => db.tx((tx) => timed(() => work(tx)))),
  };
}

/**
 * Slots for a database: a Postgres pool keeps two connections for the service's own work, and heavy customers together leave
 * half of the others. On SQLite every statement runs on the one thread, so it is the time there that is shared.
 */
export function toQueueLimits({ connections }: Database): FairQueueLimits {
  const slots = connections === undefined ? 64 : Math.max(1, connections - 2);
  const half = Math.max(1, Math.ceil(slots / 2));
  return {
    slots,
    slotsPerCustomer: half,
    heavySlots: half,
    heavySlotsPerCustomer: connections === undefined ? half : Math.min(2, half),
    maxWaitMs: 5_000,
  };
}
