import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

/**
 * "Not yet": the server runs the activity again after the delay. No worker slot waits, the history does not grow, and
 * the Web UI's pending activity shows the message and the time of the next try. Benign: no warning, no failure metric.
 */
export function later(delayMs: number, message: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NotYet',
    message,
    nextRetryDelay: Math.max(Math.ceil(delayMs), 1),
    category: ApplicationFailureCategory.BENIGN,
  });
}
