import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { ApiError, dataOf } from '../src/api-client/errors.ts';
import { failureOf } from '../src/api-client/failure.ts';
import type { ApiAnswer } from '../src/submission/answer.ts';

/** The data of a successful answer; any other is the failure that its class calls for. For requests that spend nothing. */
export async function answered<Data>(asking: Promise<ApiAnswer<Data>>): Promise<Data> {
  try {
    return dataOf(await asking);
  } catch (error) {
    throw error instanceof ApiError ? applicationFailure(error) : error;
  }
}

/** What an error of the service is to the server that retries. */
export function applicationFailure(error: ApiError): ApplicationFailure {
  const { type, message, nonRetryable, nextRetryDelayMs, benign, details } = failureOf(error);
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable,
    details: [details],
    ...(nextRetryDelayMs === null ? {} : { nextRetryDelay: nextRetryDelayMs }),
    ...(benign ? { category: ApplicationFailureCategory.BENIGN } : {}),
  });
}
