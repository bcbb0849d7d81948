import { findGrpcStatus } from './grpc-status.ts';

/**
 * The Temporal server is there and does not let us in, or what the configuration has to identify itself is not usable.
 * Waiting does not help. Nothing was submitted or charged. Exit code 2.
 */
export class TemporalAccessError extends Error {
  override readonly name = 'TemporalAccessError';
  /** What is wrong, without what to do. */
  readonly problem: string;
  /** What to do now. */
  readonly next: string;

  constructor(problem: string, next: string, options?: ErrorOptions) {
    super(`${problem}. Nothing was submitted or charged. ${next}.`, options);
    this.problem = problem;
    this.next = next;
  }
}

const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/** Whether a request failed for want of a right, which other requests may not need. */
export const isDenied = (error: unknown): boolean => findGrpcStatus(error)?.code === PERMISSION_DENIED;

/** What a gRPC status means that denies access; null for another status. */
export function toAccessError(
  { code, details }: { readonly code: number; readonly details: string },
  options?: ErrorOptions,
): TemporalAccessError | null {
  if (code === UNAUTHENTICATED)
    return new TemporalAccessError(
      `The Temporal server does not accept the API key or certificate of this connection (${details})`,
      'Check temporal.api_key or temporal.tls (without them TEMPORAL_API_KEY and TEMPORAL_TLS_*): a key may have expired, ' +
        'or belong to another server',
      options,
    );
  if (code === PERMISSION_DENIED)
    return new TemporalAccessError(
      `The Temporal server denies a permission that this connection needs (${details})`,
      'Check temporal.namespace, and let an administrator of the namespace give the API key or certificate the right to ' +
        'write in it',
      options,
    );
  return null;
}
