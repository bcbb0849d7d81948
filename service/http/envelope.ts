import type { Failure } from '../../contract/envelope.ts';
import type { ApiError } from './api-error.ts';

/** The success envelope (spec 2.6). */
export function success<Data>(requestId: string, message: string, data: Data) {
  return { success: true as const, status: 'success' as const, message, data, request_id: requestId };
}

/** The error envelope (spec 2.6). */
export function failure(requestId: string, { code, message, details }: ApiError): Failure {
  return {
    success: false,
    status: 'error',
    message,
    data: null,
    error: { code, message, ...(details === undefined ? {} : { details: [...details] }) },
    request_id: requestId,
  };
}
