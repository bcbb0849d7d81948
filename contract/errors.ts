/**
 * The closed list of `error.code` values (spec 7 gives the statuses, the codes are ours). A code never changes its
 * meaning; a client may act on it.
 */
export const ERROR_CODES = {
  invalid_request: { status: 400, meaning: 'The request cannot be read as HTTP. Nothing was charged.' },
  invalid_json: { status: 400, meaning: 'The body is not JSON in UTF-8. Nothing was charged.' },
  invalid_idempotency_key: {
    status: 400,
    meaning: 'Idempotency-Key is missing, sent twice, or not 8 to 100 characters of A-Z a-z 0-9 . _ : -',
  },
  unauthorized: { status: 401, meaning: 'The API key is missing, invalid or revoked.' },
  insufficient_balance: {
    status: 402,
    meaning: 'The balance does not cover the charge. Nothing was charged; the key stays free, so top up and retry.',
  },
  submission_not_found: { status: 404, meaning: 'This account has no submission with that reference.' },
  route_not_found: { status: 404, meaning: 'The path does not exist.' },
  method_not_allowed: { status: 405, meaning: 'The path exists; the Allow header names its methods.' },
  request_timeout: { status: 408, meaning: 'The request came too slowly. Nothing was charged.' },
  idempotency_conflict: {
    status: 409,
    meaning: 'The Idempotency-Key belongs to another body. Nothing new was charged; never retry this pair.',
  },
  request_in_progress: {
    status: 409,
    meaning: 'The same request has not ended. Retry the same body with the same key after Retry-After.',
  },
  payload_too_large: { status: 413, meaning: 'The body is over the limit. Nothing was charged; split it.' },
  unsupported_media_type: { status: 415, meaning: 'Content-Type is not application/json (UTF-8).' },
  validation_failed: {
    status: 422,
    meaning: 'The request breaks a rule; error.details names the items. Nothing was charged, the key stays free.',
  },
  rate_limited: {
    status: 429,
    meaning: 'A request budget is used up. Nothing was charged or counted; retry after Retry-After.',
  },
  headers_too_large: { status: 431, meaning: 'The request headers are too large.' },
  internal_error: { status: 500, meaning: 'A defect of the service. Retry with the same key: it never charges twice.' },
  service_unavailable: {
    status: 503,
    meaning:
      'The service is overloaded or cannot reach its storage. Nothing was charged; retry with the same key after ' +
      'Retry-After.',
  },
  outcome_unknown: {
    status: 503,
    meaning:
      'The storage failed while the request was being accepted: it is accepted and charged, or neither. Retry the same ' +
      'body with the same key after Retry-After: it never charges twice. A new key could.',
  },
  index_check_unavailable: {
    status: 503,
    meaning: 'The check was not carried out. No charge stands; retry with the same key after Retry-After.',
  },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;
