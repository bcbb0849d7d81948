import { type ApiError, type ApiErrorFields, ServiceBusyError } from './errors.ts';

/** What an error is to Temporal: an ApplicationFailure, in plain data. */
export interface FailureData {
  /** The class name, by which workflows and operators tell failures apart. */
  readonly type: string;
  readonly message: string;
  readonly nonRetryable: boolean;
  /** Null leaves the wait to the retry policy of the activity. */
  readonly nextRetryDelayMs: number | null;
  /** A wait, not a failure: neither logged nor counted as one. */
  readonly benign: boolean;
  readonly details: Omit<ApiErrorFields, 'retryAfterMs'>;
}

/** One to one: class, policy and wait of the error are type, retry and delay of the failure. */
export function toFailureData(error: ApiError): FailureData {
  const { endpoint, status, code, requestId, chargeState } = error;
  return {
    type: error.name,
    message: error.message,
    nonRetryable: error.policy === 'none',
    nextRetryDelayMs: error.policy === 'none' ? null : error.retryAfterMs,
    benign: error instanceof ServiceBusyError,
    details: { endpoint, status, code, requestId, chargeState },
  };
}
