import type { Database, Queryable } from '../../../src/database/database.ts';
import type { Query } from '../../../src/database/sql.ts';
import { burnFuse, fence, type Host, type Kernel, runOn } from './kernel.ts';

const NEVER = new Promise<never>(() => undefined);

export interface StorageSettings {
  readonly kernel: Kernel;
  /** Milliseconds that a call waits before or after it reaches the disk; 0 for most. */
  readonly delay: () => number;
}

/**
 * A database as one host uses it. The host can die before and after each call: what was committed by then stays, what
 * was not did not happen. A transaction that is open at the death of its host is undone.
 */
export function hostedDatabase(db: Database, host: Host, { kernel, delay }: StorageSettings): Database {
  /** Outlives the host for as long as a transaction needs to be undone. */
  const disk: Host = { name: `${host.name} disk`, alive: true };

  async function step<T>(work: () => Promise<T>): Promise<T> {
    burnFuse(host);
    if (!host.alive) return NEVER;
    await pause();
    const result = await fence(host, runOn(disk, work));
    burnFuse(host);
    if (!host.alive) return NEVER;
    await pause();
    return result;
  }

  async function pause(): Promise<void> {
    const ms = delay();
    if (ms > 0) await kernel.sleep(ms, host);
  }

  function requireHost(): void {
    if (!host.alive) throw new Error('the host died');
  }

  const inTransaction = (tx: Queryable): Queryable => ({
    dialect: tx.dialect,
    all<Row>(query: Query<Row>) {
      requireHost();
      return tx.all(query);
    },
    get<Row>(query: Query<Row>) {
      requireHost();
      return tx.get(query);
    },
    one<Row>(query: Query<Row>) {
      requireHost();
      return tx.one(query);
    },
    run(query) {
      requireHost();
      return tx.run(query);
    },
    runEach(strings, rows) {
      requireHost();
      return tx.runEach(strings, rows);
    },
  });

  return {
    dialect: db.dialect,
    all: (query) => step(() => db.all(query)),
    get: (query) => step(() => db.get(query)),
    one: (query) => step(() => db.one(query)),
    run: (query) => step(() => db.run(query)),
    runEach: (strings, rows) => step(() => db.runEach(strings, rows)),
    tx: (work) => step(() => db.tx((tx) => work(inTransaction(tx)))),
    close: async () => undefined,
  };
}
