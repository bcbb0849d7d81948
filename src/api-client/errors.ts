import type { ApiAnswer, ChargeState, Endpoint } from '../submission/answer.ts';
import { decideRefusal } from '../submission/refusal.ts';

export interface ApiErrorFields {
  readonly endpoint: Endpoint;
  readonly status: number | null;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly chargeState: ChargeState;
  readonly retryAfterMs: number | null;
}

/** A request that did not bring what it asked for. The class says what to do, `chargeState` what became of the money. */
export abstract class ApiError extends Error implements ApiErrorFields {
  /** `none`: trying again cannot help. `retry`: the same request again, later. */
  abstract readonly policy: 'none' | 'retry';
  readonly endpoint: Endpoint;
  readonly status: number | null;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly chargeState: ChargeState;
  readonly retryAfterMs: number | null;

  constructor(message: string, fields: ApiErrorFields) {
    super(message);
    this.endpoint = fields.endpoint;
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId;
    this.chargeState = fields.chargeState;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** 400: our own defect (spec 4.6 rule 8). Nothing was charged; the batch stops. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError';
  override readonly policy = 'none';
}

/** 401, 403: the key is missing, wrong or revoked (spec 5). All work of the key waits; it was charged nothing. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
  override readonly policy = 'none';
}

/** 402: the balance does not suffice (spec 4.6 rule 4). Nothing was charged; the account is parked. */
export class InsufficientBalanceError extends ApiError {
  override readonly name = 'InsufficientBalanceError';
  override readonly policy = 'none';
}

/** 404: no such job, or a wrong base address. Look the job up in the list before believing it. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
  override readonly policy = 'none';
}

/** 409: the key was used with other content, or a duplicate. Never sent again; looked up in the list. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
  override readonly policy = 'none';
}

/** 409 for a request of this key that is still running: the same again, later. */
export class InProgressError extends ApiError {
  override readonly name = 'InProgressError';
  override readonly policy = 'retry';
}

/** 413: too large. Nothing was charged; the batch is split. */
export class PayloadTooLargeError extends ApiError {
  override readonly name = 'PayloadTooLargeError';
  override readonly policy = 'none';
}

/** 415: our own defect. Nothing was charged. */
export class UnsupportedMediaTypeError extends ApiError {
  override readonly name = 'UnsupportedMediaTypeError';
  override readonly policy = 'none';
}

/** 422: a URL or a field is refused (spec 4.6 rule 5). Nothing was charged; bad URLs are looked for. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError';
  override readonly policy = 'none';
}

/** 429: over the budget (spec 8). Nothing was charged; again after `retryAfterMs`, durably. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
  override readonly policy = 'retry';
}

/** 503. A submission may have been charged, an index-check was not (spec 4.8 rule 4). */
export class ServiceUnavailableError extends ApiError {
  override readonly name = 'ServiceUnavailableError';
  override readonly policy = 'retry';
}

/** Another 5xx or a status that the specification does not know: whether it was charged is unknown. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
  override readonly policy = 'retry';
}

/** No answer in time. Whether it was charged is unknown. */
export class TimeoutError extends ApiError {
  override readonly name = 'TimeoutError';
  override readonly policy = 'retry';
}

/** No connection, or one that broke. Charged only if the request may have arrived. */
export class ConnectionError extends ApiError {
  override readonly name = 'ConnectionError';
  override readonly policy = 'retry';
}

/** An answer that is not the service's envelope, or contradicts itself. Whether it was charged is unknown. */
export class InvalidResponseError extends ApiError {
  override readonly name = 'InvalidResponseError';
  override readonly policy = 'retry';
}

const BY_STATUS: Readonly<Record<number, new (message: string, fields: ApiErrorFields) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: InsufficientBalanceError,
  403: AuthenticationError,
  404: NotFoundError,
  405: BadRequestError,
  409: ConflictError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaTypeError,
  422: ValidationError,
  429: RateLimitError,
  503: ServiceUnavailableError,
};

const isPaid = (endpoint: Endpoint): boolean => endpoint === 'submit' || endpoint === 'index-check';

/** The error that an answer is. A reading request is never charged; a paid one as the answer table says. */
export function toApiError(answer: ApiAnswer): ApiError {
  const { endpoint, status, body, requestId } = answer;
  const refusal = decideRefusal(answer, { urls: [], inDoubt: false });
  const fields: ApiErrorFields = {
    endpoint,
    status,
    code: body.kind === 'error' ? body.error.code : null,
    requestId,
    chargeState: isPaid(endpoint) ? refusal.chargeState : 'none',
    retryAfterMs: refusal.kind === 'retry' ? refusal.retryAfterMs : null,
  };
  const Class = findErrorClass(answer, refusal.kind === 'retry' && refusal.why === 'in-progress');
  return new Class(isPaid(endpoint) ? refusal.message : `GET ${endpoint}: ${describeAnswer(answer)}`, fields);
}

function findErrorClass({ body, status }: ApiAnswer, inProgress: boolean): (typeof BY_STATUS)[number] {
  if (body.kind === 'none') return body.timedOut ? TimeoutError : ConnectionError;
  // A gateway refuses in its own form, and is believed in these three; see the answer table.
  const believed =
    body.kind === 'error' || (body.kind === 'unreadable' && !body.claimsSuccess && [401, 413, 429].includes(status!));
  if (inProgress) return InProgressError;
  if (status === 503) return ServiceUnavailableError;
  if (status! >= 500) return ServerError;
  if (!believed || status! < 400) return InvalidResponseError;
  return BY_STATUS[status!] ?? ServerError;
}

function describeAnswer({ body, status, requestId }: ApiAnswer): string {
  const request = requestId === null ? '' : ` (request ${requestId})`;
  switch (body.kind) {
    case 'error':
      return `status ${status}, ${[body.error.code, body.error.message].filter(Boolean).join(': ')}${request}`;
    case 'none':
    case 'unreadable':
      return `${body.what}${request}`;
    case 'success':
      return `status ${status} with a success${request}`;
  }
}

/** The data of a successful answer; throws the error that any other answer is. */
export function unwrapData<Data>(answer: ApiAnswer<Data>): Data {
  const { status, body } = answer;
  if (body.kind === 'success' && status !== null && status >= 200 && status < 300) return body.data;
  throw toApiError(answer);
}
