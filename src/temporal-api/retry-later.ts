import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { FAILURE_TYPE } from './failure-types.ts';

/**
 * Asks the server to run the activity again after `delayMs` milliseconds. No worker slot waits, the history does not
 * grow, and the Web UI's pending activity shows the message and the time of the next try (Temporal's "infrequent
 * polling"). Benign: no warning in the log, no failure metric.
 */
export function retryLater(delayMs: number, message: string): ApplicationFailure {
  return withoutStack(
    ApplicationFailure.create({
      type: FAILURE_TYPE.retryLater,
      message,
      nextRetryDelay: Math.max(Math.ceil(delayMs), 1),
      category: ApplicationFailureCategory.BENIGN,
    }),
  );
}

/** What is a wait, or the fault of a site, must not look like a defect of the program: the Web UI shows the message alone. */
export function withoutStack(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}

/** Whether a failure only requests a later retry. */
export function isRetryLater(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === FAILURE_TYPE.retryLater;
}
