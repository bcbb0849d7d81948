import type { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { DatabaseUnavailableError } from '../src/database/database.ts';
import { type BackoffSettings, backoffMs } from '../src/submission/backoff.ts';
import { FAILURE_TYPE } from '../src/temporal-api/failure-types.ts';
import { withoutStack } from '../src/temporal-api/retry-later.ts';

/*
 * An attempt is lost when the ledger could not be used or its worker ended: it says nothing about the work. The server counts
 * every attempt, so the heartbeats of an activity carry to its next attempt how many were lost. A heartbeat counts its own
 * attempt as lost; an attempt that is not lost corrects that when it ends.
 */

/** What the heartbeats of an activity carry. */
export interface Heartbeat {
  /** Lost attempts, this one among them. */
  readonly lost: number;
}

/** Attempts before this one that were lost. One that ended before its first heartbeat is not known to be lost. */
export const countLost = ({ heartbeatDetails }: Pick<Context['info'], 'heartbeatDetails'>): number =>
  (heartbeatDetails as Partial<Heartbeat> | undefined)?.lost ?? 0;

/** From one try a second to one in half a minute: thousands of trackers must not keep a server busy that starts. */
export const OUTAGE_WAITS: BackoffSettings = { baseMs: 2_000, maxMs: 30_000 };

/** The reason with which a worker that stops ends a long activity, which goes on elsewhere, or when the worker is back. */
export const workerStops = (): ApplicationFailure =>
  withoutStack(
    ApplicationFailure.create({
      type: FAILURE_TYPE.workerStops,
      message: 'The worker stops. The next one goes on where this one was.',
      nextRetryDelay: 1_000,
      category: ApplicationFailureCategory.BENIGN,
    }),
  );

/**
 * The failure of a lost attempt; null for every other error. `lost`: attempts that were lost before. `random` is a number in
 * [0, 1).
 */
export function toLostAttempt(
  error: unknown,
  { lost, random, waits }: { readonly lost: number; readonly random: number; readonly waits: BackoffSettings },
): ApplicationFailure | null {
  if (error instanceof ApplicationFailure && error.type === FAILURE_TYPE.workerStops) return error;
  if (!(error instanceof DatabaseUnavailableError)) return null;
  return withoutStack(
    ApplicationFailure.create({
      type: FAILURE_TYPE.ledgerUnavailable,
      message:
        `The ledger cannot be used: ${error.message.replace(/\.$/, '')}. What was recorded is kept, and nothing is bought ` +
        'twice. It is tried again until the ledger can be used.',
      nextRetryDelay: backoffMs(lost + 1, random, null, waits),
    }),
  );
}
