import type { ApiAnswer, ChargeState, Endpoint } from '../submission/answer.ts';
import { decideRefusal, type Refusal } from '../submission/refusal.ts';

export interface ApiErrorFields {
  readonly endpoint: Endpoint;
  readonly status: number | null;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly chargeState: ChargeState;
  readonly retryAfterMs: number | null;
}

/**
 * A failed request. The class says what to do next, `chargeState` what happened to the money, and status and code what
 * the service returned.
 */
export abstract class ApiError extends Error implements ApiErrorFields {
  /** `none`: a retry cannot help. `retry`: send the same request again, later. */
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

/** 401, 403: the key is missing, wrong or revoked (spec 5). All work under this key waits; nothing was charged. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
  override readonly policy = 'none';
}

/** 404: the job does not exist, or the base address is wrong. Check the list before you trust it. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
  override readonly policy = 'none';
}

/** 400, 402, 405, 409, 413, 415, 422: the service rejects this request and would reject it again. */
export class RequestRefusedError extends ApiError {
  override readonly name = 'RequestRefusedError';
  override readonly policy = 'none';
}

/** 429, or 409 while the same request is still in progress: nothing failed; resend it after `retryAfterMs`. */
export class ServiceBusyError extends ApiError {
  override readonly name = 'ServiceBusyError';
  override readonly policy = 'retry';
}

/** 5xx, no response, or a response from something else: resend the same request with backoff. */
export class ServiceUnavailableError extends ApiError {
  override readonly name = 'ServiceUnavailableError';
  override readonly policy = 'retry';
}

const isPaid = (endpoint: Endpoint): boolean => endpoint === 'submit' || endpoint === 'index-check';

/**
 * Converts a failed answer to its error. A read is never charged; for a paid request the answer table decides, and after an
 * earlier attempt in doubt nothing is certain.
 */
export function toApiError(answer: ApiAnswer, inDoubt = false): ApiError {
  const { endpoint, status, body, requestId } = answer;
  const refusal = decideRefusal(answer, { urls: [], inDoubt });
  const fields: ApiErrorFields = {
    endpoint,
    status,
    code: body.kind === 'error' ? body.error.code : null,
    requestId,
    chargeState: !isPaid(endpoint) ? 'none' : inDoubt ? 'unknown' : refusal.chargeState,
    retryAfterMs: refusal.kind === 'retry' ? refusal.retryAfterMs : null,
  };
  const message = isPaid(endpoint)
    ? refusal.message + (inDoubt ? IN_DOUBT : '')
    : `GET ${endpoint}: ${describeAnswer(answer)}`;
  return new (findErrorClass(refusal, status))(message, fields);
}

const IN_DOUBT =
  '. An earlier attempt may have been charged all the same: send the same body with the same key to find out';

type ErrorClass = new (message: string, fields: ApiErrorFields) => ApiError;

/** The answer table decides (`decideRefusal`); the class only names the decision. */
function findErrorClass(refusal: Refusal, status: number | null): ErrorClass {
  switch (refusal.kind) {
    case 'retry':
      return refusal.why === 'rate-limited' || refusal.why === 'in-progress'
        ? ServiceBusyError
        : ServiceUnavailableError;
    case 'reject_key':
      return AuthenticationError;
    case 'suspend':
    case 'split':
    case 'quarantine':
    case 'conflict':
    case 'defect':
      return status === 404 ? NotFoundError : RequestRefusedError;
  }
}

function describeAnswer({ endpoint, body, status, requestId }: ApiAnswer): string {
  const request = requestId === null ? '' : ` (request ${requestId})`;
  // For a job, 404 means that it does not exist; for any other address, that this is not the service.
  const hint =
    status === 404 && endpoint !== 'submission' ? '. Check base_url: it must end with the version, as /api/v1' : '';
  switch (body.kind) {
    case 'error':
      return `status ${status}, ${[body.error.code, body.error.message].filter(Boolean).join(': ')}${request}${hint}`;
    case 'none':
    case 'unreadable':
      return `${body.what}${request}${hint}`;
    case 'success':
      return `status ${status} with a success envelope${request}`;
  }
}

/** Returns the data of a successful answer; throws the matching error for any other. */
export function unwrapData<Data>(answer: ApiAnswer<Data>): Data {
  if (isSuccess(answer)) return answer.body.data;
  throw toApiError(answer);
}

type Success<Data> = ApiAnswer<Data> & { readonly status: number; readonly body: { readonly kind: 'success' } };

/** The envelope and the status both say success. */
export function isSuccess<Data>(answer: ApiAnswer<Data>): answer is Success<Data> {
  const { status, body } = answer;
  return body.kind === 'success' && status !== null && status >= 200 && status < 300;
}
