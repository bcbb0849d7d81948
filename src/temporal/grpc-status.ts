/** What a request to the Temporal server ended with. */
export interface GrpcStatus {
  readonly code: number;
  readonly details: string;
}

/** gRPC status codes that another attempt may not meet: cancelled, deadline, exhausted, aborted, unavailable. */
const PASSING = new Set([1, 4, 8, 10, 14]);

export const isPassing = ({ code }: GrpcStatus): boolean => PASSING.has(code);

/**
 * The status of a failed request; null when the error is another. Recognized by its shape: loading the SDK for its class would
 * cost every command a second.
 */
export function findGrpcStatus(error: unknown): GrpcStatus | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code, details } = each as Partial<GrpcStatus>;
    if (typeof code === 'number' && typeof details === 'string') return { code, details };
  }
  return null;
}
