import { DatabaseUnavailableError } from '../database/database.ts';
import { isTemporary } from '../database/postgres-failure.ts';
import { findGrpcStatus, isPassing } from '../temporal/grpc-status.ts';
import { TemporalUnreachableError } from '../temporal/unreachable.ts';
import { withoutStop } from '../temporal-api/sentences.ts';

/** A failover takes seconds to minutes. What takes longer is for whoever operates the server. */
const WAIT_MS = 5 * 60_000;
const PAUSE_MS = 2_000;
const SAY_EVERY_MS = 30_000;

export interface WaitDeps {
  readonly log: Readonly<Record<'info' | 'warn', (text: string) => void>>;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

interface Awaited {
  /** "The ledger cannot be used yet". */
  readonly problem: string;
  /** "The ledger can be used". */
  readonly over: string;
  /** Why, and what that means, without the last stop; null where waiting does not help. */
  readonly explain: (error: unknown) => string | null;
}

const DATABASE: Awaited = {
  problem: 'The ledger cannot be used yet',
  over: 'The ledger can be used',
  explain: (error) =>
    error instanceof DatabaseUnavailableError && isTemporary(error.cause)
      ? `${error.message}. Nothing was sent or charged`
      : null,
};

const explainTemporal =
  (meaning: string) =>
  (error: unknown): string | null => {
    if (error instanceof TemporalUnreachableError) return withoutStop(error.message);
    const status = findGrpcStatus(error);
    return status !== null && isPassing(status) ? `${withoutStop(status.details)}. ${meaning}` : null;
  };

const TEMPORAL: Awaited = {
  problem: 'The Temporal server cannot be used yet',
  over: 'The Temporal server can be used',
  explain: explainTemporal('Nothing was sent or charged'),
};

const REST_OF_START: Awaited = {
  problem: 'The start cannot be completed yet',
  over: 'The start is complete',
  explain: explainTemporal('The worker works with the schedules as they are'),
};

/**
 * Opens a database, and tries again while its server restarts, fails over or has no free connection: for five minutes at
 * most. Rejects with the last failure; at once where waiting does not help, such as a wrong password.
 */
export const waitForDatabase = <T>(open: () => Promise<T>, deps: WaitDeps): Promise<T> => wait(DATABASE, open, deps);

/** The same for what a worker asks of the Temporal server before it works. */
export const waitForTemporal = <T>(ask: () => Promise<T>, deps: WaitDeps): Promise<T> => wait(TEMPORAL, ask, deps);

/** The same for what a worker asks of it when it works already: its schedules above all. */
export const waitWhileWorking = <T>(ask: () => Promise<T>, deps: WaitDeps): Promise<T> =>
  wait(REST_OF_START, ask, deps);

async function wait<T>(
  { problem, over, explain }: Awaited,
  work: () => Promise<T>,
  { log, now, sleep }: WaitDeps,
): Promise<T> {
  const began = now();
  let said: number | null = null;
  for (;;) {
    try {
      const done = await work();
      if (said !== null) log.info(`${over}, after ${toSeconds(now() - began)} s.`);
      return done;
    } catch (error) {
      const waited = now() - began;
      const why = explain(error);
      if (why === null || waited >= WAIT_MS) throw error;
      if (said === null || now() - said >= SAY_EVERY_MS) {
        log.warn(
          `${problem}: ${why}. It is tried again every ${toSeconds(PAUSE_MS)} s; after ` +
            `${toSeconds(WAIT_MS - waited)} s more it ends with exit code 5.`,
        );
        said = now();
      }
      await sleep(PAUSE_MS);
    }
  }
}

const toSeconds = (ms: number): number => Math.round(ms / 1_000);
