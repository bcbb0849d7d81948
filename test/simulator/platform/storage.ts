import {
  type Database,
  DatabaseUnavailableError,
  OutcomeUnknownError,
  type Queryable,
} from '../../../src/database/database.ts';
import type { Query } from '../../../src/database/sql.ts';
import { burnFuse, fence, type Host, type Kernel, runOn } from './kernel.ts';

/** Calls between two events: more of them mean that a host turns without a wait. */
const MOST_CALLS = 20_000;

/** One of its own for each call: all that waits for a promise stays in memory as long as the promise does. */
const never = (): Promise<never> => new Promise(() => undefined);

const UNREACHABLE = 'connect ECONNREFUSED 127.0.0.1:5432';
const REFUSED_MS = 5;

export interface StorageSettings {
  readonly kernel: Kernel;
  /** Milliseconds that a call waits before or after it reaches the disk; 0 for most. */
  readonly delay: () => number;
  /** How long a statement that writes in a bulk transaction takes; absent: no time passes. */
  readonly statementMs?: (() => number) | undefined;
  /** The server of the database cannot be reached now: every call fails, as with Postgres. Absent: it always can. */
  readonly isDown?: (() => boolean) | undefined;
  /** Whether the server goes down now, so that the answer to a COMMIT is lost. Absent: it never does. */
  readonly isCut?: (() => boolean) | undefined;
  /** The host calls without end, and time does not pass: it is stopped. */
  readonly onTurning?: (() => void) | undefined;
}

/**
 * A database as one host uses it. The host can die before and after each call: what was committed by then stays, what
 * was not did not happen. A transaction that is open at the death of its host is undone.
 */
export function hostedDatabase(
  db: Database,
  host: Host,
  { kernel, delay, statementMs = () => 0, isDown = () => false, isCut = () => false, onTurning }: StorageSettings,
): Database {
  let [event, calls] = [0, 0];
  /** Outlives the host for as long as a transaction needs to be undone. */
  const disk: Host = { name: `${host.name} disk`, clockOf: host.name, alive: true };

  async function step<T>(work: () => Promise<T>): Promise<T> {
    burnFuse(host);
    if (!host.alive || turnsWithoutWait()) return never();
    await pause();
    if (isDown()) return fail(new DatabaseUnavailableError(`Postgres cannot be used: ${UNREACHABLE}`));
    const result = await fence(host, runOn(disk, work));
    burnFuse(host);
    if (!host.alive) return never();
    await pause();
    return result;
  }

  /** It would never come to another event. */
  function turnsWithoutWait(): boolean {
    if (kernel.events !== event) {
      event = kernel.events;
      calls = 0;
    }
    calls += 1;
    if (calls === MOST_CALLS) onTurning?.();
    return calls >= MOST_CALLS;
  }

  /** A connection that is refused takes a moment, so that who tries again does not turn. */
  async function fail(error: Error): Promise<never> {
    await kernel.sleep(REFUSED_MS, host);
    throw error;
  }

  async function pause(): Promise<void> {
    const ms = delay();
    if (ms > 0) await kernel.sleep(ms, host);
  }

  function requireHost(): void {
    if (!host.alive) throw new Error('the host died');
  }

  const inTransaction = (tx: Queryable, isBulk: boolean): Queryable => ({
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
      if (isBulk) kernel.pass(statementMs());
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
    tx: (work, options = {}) =>
      step(async () => {
        const result = await db.tx((tx) => work(inTransaction(tx, options.bulk === true)), options);
        if (isCut()) return fail(new OutcomeUnknownError(`Postgres did not confirm a COMMIT: ${UNREACHABLE}`));
        return result;
      }),
    close: async () => undefined,
  };
}
