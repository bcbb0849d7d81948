import { type ApiError, type ApiErrorFields, ServiceBusyError } from './errors.ts';

/** An error as Temporal's ApplicationFailure, in plain data. */
export interface FailureData {
  /** The class name, by which workflows and operators distinguish failures. */
  readonly type: string;
  readonly message: string;
  readonly nonRetryable: boolean;
  /** Null: the activity's retry policy sets the wait. */
  readonly nextRetryDelayMs: number | null;
  /** A wait, not a failure: neither logged nor counted as a failure. */
  readonly benign: boolean;
  readonly details: Omit<ApiErrorFields, 'retryAfterMs'>;
}

/** Maps one to one: the error's class, policy and wait become the failure's type, retry and delay. */
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
