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
 * A request that did not bring what it asked for. The class says what to do next, `chargeState` what happened to the
 * money; status and code say what the service answered.
 */
export abstract class ApiError extends Error implements ApiErrorFields {
  /** `none`: another try cannot help. `retry`: the same request again, later. */
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

/** 401, 403: the key is missing, wrong or revoked (spec 5). All work of the key waits; nothing was charged. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
  override readonly policy = 'none';
}

/** 404: no such job, or a wrong base address. Look the job up in the list before you believe it. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
  override readonly policy = 'none';
}

/** 400, 402, 405, 409, 413, 415, 422: the service does not take this request, and would not take it again. */
export class RequestRefusedError extends ApiError {
  override readonly name = 'RequestRefusedError';
  override readonly policy = 'none';
}

/** 429, or 409 while the same request is still running: nothing failed, send it again after `retryAfterMs`. */
export class ServiceBusyError extends ApiError {
  override readonly name = 'ServiceBusyError';
  override readonly policy = 'retry';
}

/** 5xx, no response, or one that is not the service's: send the same request again, with backoff. */
export class ServiceUnavailableError extends ApiError {
  override readonly name = 'ServiceUnavailableError';
  override readonly policy = 'retry';
}

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
  const message = isPaid(endpoint) ? refusal.message : `GET ${endpoint}: ${describeAnswer(answer)}`;
  return new (findErrorClass(refusal, status))(message, fields);
}

type ErrorClass = new (message: string, fields: ApiErrorFields) => ApiError;

/** The answer table decides (`decideRefusal`); a class only names what it decided. */
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
  // Of a job a 404 says that it is not there; of any other address, that this is not the service.
  const hint =
    status === 404 && endpoint !== 'submission' ? '. Check base_url: it must end with the version, as /api/v1' : '';
  switch (body.kind) {
    case 'error':
      return `status ${status}, ${[body.error.code, body.error.message].filter(Boolean).join(': ')}${request}${hint}`;
    case 'none':
    case 'unreadable':
      return `${body.what}${request}${hint}`;
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
