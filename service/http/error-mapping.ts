import type { FastifyError } from 'fastify';
import { DatabaseUnavailableError, OutcomeUnknownError } from '../../src/database/database.ts';
import { AccountError } from '../accounts/account.ts';
import { InsufficientBalanceError } from '../accounts/entries.ts';
import { AccountInactiveError } from '../accounts/status.ts';
import { OverloadedError } from '../capacity/fair-queue.ts';
import { CheckInProgressError, ResultExpiredError } from '../index-check/check.ts';
import { CheckUnavailableError } from '../index-check/provider.ts';
import { IdempotencyConflictError } from '../submissions/accept.ts';
import { ApiError, validationFailed } from './api-error.ts';
import { type SchemaError, toProblems } from './schema-problems.ts';

/** Retry-After while the storage is unavailable. */
const STORAGE_RETRY_SECONDS = 5;

/** Fastify's own errors, by their code. */
const FRAMEWORK: Record<string, ConstructorParameters<typeof ApiError>> = {
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not correctly percent-encoded.'],
  FST_ERR_MAX_PARAM_LENGTH: ['submission_not_found'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as Content-Length says.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_json', 'The body is empty.'],
};

/** Maps any thrown error to the response. The only place that decides; an unknown error is a 500 that does not disclose it. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof AccountInactiveError) {
    return new ApiError(
      'unauthorized',
      `The API key is rejected: ${error.message}. Nothing was charged; contact the operator.`,
    );
  }
  if (error instanceof InsufficientBalanceError) return new ApiError('insufficient_balance');
  if (error instanceof IdempotencyConflictError) return new ApiError('idempotency_conflict');
  if (error instanceof ResultExpiredError) {
    return new ApiError(
      'idempotency_conflict',
      'This index-check was already made and charged, and its result was deleted. Nothing new was charged; use a new ' +
        'Idempotency-Key to check again.',
    );
  }
  if (error instanceof CheckInProgressError) {
    return new ApiError('request_in_progress', undefined, { retryAfterSeconds: error.retryAfterSeconds });
  }
  if (error instanceof CheckUnavailableError) {
    const { retryAfterSeconds } = error;
    return new ApiError('index_check_unavailable', undefined, { retryAfterSeconds, cause: error });
  }
  if (error instanceof OutcomeUnknownError) {
    return new ApiError('outcome_unknown', undefined, { retryAfterSeconds: STORAGE_RETRY_SECONDS, cause: error });
  }
  if (error instanceof DatabaseUnavailableError || error instanceof OverloadedError) {
    return new ApiError('service_unavailable', undefined, { retryAfterSeconds: STORAGE_RETRY_SECONDS, cause: error });
  }
  if (error instanceof AccountError) return new ApiError('validation_failed', error.message);
  const { code, validation, validationContext } = error as FastifyError & { validationContext?: string };
  if (validation !== undefined) return validationFailed(toProblems(validation as SchemaError[], validationContext));
  const known = code === undefined ? undefined : FRAMEWORK[code];
  if (known !== undefined) return new ApiError(...known);
  return new ApiError('internal_error', undefined, { cause: error });
}
