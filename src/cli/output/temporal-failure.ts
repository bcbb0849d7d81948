import { CommandError, EXIT, UsageError } from '../../cli-kit/exit-codes.ts';
import { toAccessError } from '../../temporal/access-error.ts';
import { findGrpcStatus, isPassing } from '../../temporal/grpc-status.ts';

/**
 * A request to the Temporal server that failed while a command was connected; null when the error is another.
 */
export function toServerFailure(error: unknown): CommandError | null {
  if (isNamespaceMissing(error)) {
    const details = findGrpcStatus(error)?.details.replace(/\.$/, '') ?? '';
    return new UsageError(
      `The Temporal server does not have the namespace of this configuration${details === '' ? '' : ` (${details})`}. Nothing ` +
        'was submitted or charged. Create it, or correct temporal.namespace.',
      { cause: error },
    );
  }
  const status = findGrpcStatus(error);
  if (status === null) return null;
  if (isPassing(status)) {
    return new CommandError(
      EXIT.transient,
      `Lost the connection to the Temporal server (${status.details}). Planned batches stay planned, and nothing is ` +
        'bought twice. Runs continue when the server is back; try again then.',
      { cause: error },
    );
  }
  const denied = toAccessError(status);
  return denied === null ? null : new UsageError(denied.message, { cause: error });
}

/** The error class of the SDK, or the type of the server's error detail where the SDK passes its answer on. */
function isNamespaceMissing(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.name === 'NamespaceNotFoundError') return true;
    const { metadata } = each as { metadata?: { get?: (key: string) => readonly unknown[] } };
    const details = metadata?.get?.('grpc-status-details-bin') ?? [];
    if (details.some((detail) => Buffer.isBuffer(detail) && detail.includes(NAMESPACE_MISSING))) return true;
  }
  return false;
}

const NAMESPACE_MISSING = 'temporal.api.errordetails.v1.NamespaceNotFoundFailure';
