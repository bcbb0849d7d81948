import type { Problem } from '../../contract/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';

/** An error response of the contract: its code decides the status. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly statusCode: number;
  readonly details: readonly Problem[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string = ERROR_CODES[code].meaning,
    more: { details?: readonly Problem[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.statusCode = ERROR_CODES[code].status;
    this.details = more.details;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** A 422 that names the wrong items. */
export function validationFailed(details: readonly Problem[]): ApiError {
  const [first] = details;
  const where =
    first === undefined ? '' : `: ${first.field}${first.index === null ? '' : `[${first.index}]`} ${first.reason}`;
  return new ApiError('validation_failed', `The request is invalid${where}. Nothing was charged.`, { details });
}
