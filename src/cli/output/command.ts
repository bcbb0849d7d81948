import type { ApiError } from '../../api-client/errors.ts';
import { createAction } from '../../cli-kit/action.ts';
import { CommandError, EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';
import type { OutputFlags } from '../../cli-kit/output.ts';
import { ConfigError } from '../../config/config-error.ts';
import { SecretMissingError } from '../../config/secrets.ts';
import { OperationError, type OperationFailure } from '../../connector/operation-error.ts';
import { CopyError } from '../../database/copy-sqlite.ts';
import {
  DatabaseUnavailableError,
  DatabaseUrlError,
  DatabaseVersionError,
  isLasting,
} from '../../database/database.ts';
import { describeLedgerFailure } from '../../ledger/describe-failure.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import { TemporalAccessError } from '../../temporal/access-error.ts';
import { PayloadKeyError } from '../../temporal/encryption.ts';
import { NoTemporalServerError } from '../../temporal/server-binary.ts';
import { ServerStartError } from '../../temporal/server-start-error.ts';
import { TemporalUnreachableError } from '../../temporal/unreachable.ts';
import { toServerFailure } from './temporal-failure.ts';

export type { Ending } from '../../cli-kit/action.ts';

export interface GlobalFlags extends OutputFlags {
  readonly config: string;
}

/** Wraps what a command of `courier` does: see createAction. */
export const action = createAction<GlobalFlags>({
  program: 'courier',
  toCommandError,
  afterBug: 'Planned batches are safe in the ledger.',
});

const EXIT_OF_FAILURE: Readonly<Record<OperationFailure, ExitCode>> = {
  other_account: EXIT.usage,
  run_active: EXIT.busy,
  key_rejected: EXIT.keyRefused,
  funds: EXIT.balanceOrCap,
  held: EXIT.partial,
  no_response: EXIT.transient,
  listener: EXIT.transient,
  failed: EXIT.partial,
};

/** An error that the reader can act on, with its exit code; null for a bug. */
export function toCommandError(error: unknown): CommandError | null {
  if (error instanceof CommandError) return error;
  const exitCode = findExitCode(error);
  if (exitCode !== null && error instanceof Error) return new CommandError(exitCode, describe(error), { cause: error });
  return toServerFailure(error);
}

/** The database knows what failed, but not what that means for the URLs. */
const describe = (error: Error): string =>
  error instanceof DatabaseUnavailableError ? describeLedgerFailure(error) : error.message;

/**
 * The exit code of a command that could not read from the service. An address that the service does not have is a wrong
 * base_url, which no later attempt corrects.
 */
export function toReadFailureCode(failure: ApiError | SecretMissingError): ExitCode {
  if (failure instanceof SecretMissingError || failure.status === 404) return EXIT.usage;
  return failure.status === 401 ? EXIT.keyRefused : EXIT.transient;
}

function findExitCode(error: unknown): ExitCode | null {
  if (error instanceof ConfigError || error instanceof SecretMissingError) return EXIT.usage;
  if (error instanceof TemporalAccessError || error instanceof PayloadKeyError) return EXIT.usage;
  if (error instanceof OperationError) return EXIT_OF_FAILURE[error.failure];
  if (error instanceof LedgerError || error instanceof DatabaseUrlError || error instanceof DatabaseVersionError)
    return EXIT.usage;
  if (error instanceof CopyError) return error.inUse ? EXIT.busy : EXIT.usage;
  if (error instanceof DatabaseUnavailableError) return isLasting(error.failure) ? EXIT.partial : EXIT.transient;
  if (error instanceof ServerStartError) return error.isDamaged ? EXIT.partial : EXIT.transient;
  if (error instanceof TemporalUnreachableError || error instanceof NoTemporalServerError) return EXIT.transient;
  return null;
}
