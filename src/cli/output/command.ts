import type { Command } from 'commander';
import { CommandError, EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';
import { type Output, type OutputFlags, openOutput } from '../../cli-kit/output.ts';
import { ConfigError } from '../../config/config-error.ts';
import { SecretMissingError } from '../../config/secrets.ts';
import { OperationError, type OperationFailure } from '../../connector/operation-error.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import { NoTemporalServerError } from '../../temporal/server-binary.ts';
import { TemporalUnreachableError } from '../../temporal/unreachable.ts';

export interface GlobalFlags extends OutputFlags {
  readonly config?: string;
}

/** How a command ended: its code and what its summary record says. */
export interface Ending {
  readonly exitCode: ExitCode;
  readonly summary?: Record<string, unknown>;
}

/**
 * Wraps what a command does: the version record first, a summary record last (on failure too), an error as a sentence,
 * and the exit code of the table.
 */
export function action<Args extends unknown[]>(
  run: (output: Output, flags: GlobalFlags, ...args: Args) => Promise<Ending>,
): (...args: [...Args, unknown, Command]) => Promise<void> {
  return async (...all) => {
    const command = all.at(-1) as Command;
    const args = all.slice(0, -1) as unknown as Args;
    const flags = command.optsWithGlobals<GlobalFlags>();
    const output = openOutput('courier', flags);
    try {
      const { exitCode, summary = {} } = await run(output, flags, ...args);
      output.record({ type: 'summary', ok: exitCode === EXIT.done, exit_code: exitCode, ...summary });
      process.exitCode = exitCode;
    } catch (error) {
      const exitCode = toExitCode(error);
      const message = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${message}\n`);
      if (exitCode === EXIT.unexpected && error instanceof Error) {
        if (output.verbose) process.stderr.write(`${error.stack}\n`);
        process.stderr.write(
          'This is a fault of the program. What was planned is safe in the ledger; --verbose shows more.\n',
        );
      }
      output.record({ type: 'summary', ok: false, exit_code: exitCode, error: message });
      process.exitCode = exitCode;
    }
  };
}

const EXIT_OF_FAILURE: Readonly<Record<OperationFailure, ExitCode>> = {
  other_account: EXIT.usage,
  run_active: EXIT.busy,
  key_rejected: EXIT.keyRefused,
  funds: EXIT.balanceOrCap,
  no_response: EXIT.transient,
  failed: EXIT.partial,
};

function toExitCode(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof ConfigError || error instanceof SecretMissingError) return EXIT.usage;
  if (error instanceof OperationError) return EXIT_OF_FAILURE[error.failure];
  if (error instanceof LedgerError) return EXIT.usage;
  if (error instanceof TemporalUnreachableError || error instanceof NoTemporalServerError) return EXIT.transient;
  return EXIT.unexpected;
}
