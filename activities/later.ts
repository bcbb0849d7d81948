import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

const NOT_YET = 'NotYet';

/**
 * "Not yet": the server runs the activity again after the delay. No worker slot waits, the history does not grow, and
 * the Web UI's pending activity shows the message and the time of the next try. Benign: no warning, no failure metric.
 */
export function later(delayMs: number, message: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: NOT_YET,
    message,
    nextRetryDelay: Math.max(Math.ceil(delayMs), 1),
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** Whether a failure only asks for a later try. */
export function isNotYet(error: unknown): boolean {
  return error instanceof ApplicationFailure && error.type === NOT_YET;
}
