import { setImmediate } from 'node:timers/promises';
import { DatabaseUnavailableError, type Queryable } from './database.ts';

/** One SQLite connection. */
export interface Connection extends Queryable {
  exec(text: string): void;
  /** COMMIT. Throws an OutcomeUnknownError when the disk failed while it was written. */
  commit(): void;
  /** Ends an open transaction, if there is one. */
  rollback(): void;
  close(): void;
}

/** No further transaction joins a group that has run for this long: the event loop is held meanwhile. */
const GROUP_MS = 5;

type Work<T> = (tx: Queryable) => Promise<T>;

interface Waiting {
  readonly work: Work<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Runs the transactions that wait as savepoints of one transaction and commits them with one flush. One that throws is
 * undone alone; should the commit fail, all of the group fail, and none of them happened.
 */
export function groupCommit(
  writer: Connection,
  whenFree: <T>(work: () => T | Promise<T>) => Promise<T>,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
): <T>(work: Work<T>) => Promise<T> {
  const waiting: Waiting[] = [];

  async function commitSome(): Promise<void> {
    // The group before may have taken everything that waited.
    if (waiting.length === 0) return;
    // Requests that have arrived get to ask for their transaction first; and two groups are never one long turn.
    await setImmediate();
    const began = performance.now();
    const done: (() => void)[] = [];
    const members: Waiting[] = [];
    try {
      await whenFree(() => writer.exec('BEGIN IMMEDIATE'));
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        members.push(next);
        done.push(await runOne(next));
        if (performance.now() - began >= GROUP_MS) break;
      }
      // Writing a large transaction to the disk is a turn of its own.
      if (performance.now() - began >= GROUP_MS) await setImmediate();
      writer.commit();
    } catch (error) {
      writer.rollback();
      // Without a transaction nobody got a turn: everyone who waits would meet the same.
      for (const { reject } of members.length === 0 ? waiting.splice(0) : members) reject(error);
      return;
    }
    for (const settle of done) settle();
  }

  /** Returns how to settle it once the group is committed. Throws when the whole group is lost. */
  async function runOne({ work, resolve, reject }: Waiting): Promise<() => void> {
    writer.exec('SAVEPOINT member');
    try {
      const value = await work(writer);
      writer.exec('RELEASE member');
      return () => resolve(value);
    } catch (error) {
      try {
        writer.exec('ROLLBACK TO member');
        writer.exec('RELEASE member');
      } catch {
        // Where the disk fails, SQLite may roll the whole transaction back by itself, and no savepoint is left.
        throw new DatabaseUnavailableError('a group of transactions was rolled back', { cause: error });
      }
      return () => reject(error);
    }
  }

  return <T>(work: Work<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      inTurn(commitSome).catch(reject);
    });
}
