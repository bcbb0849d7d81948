import type { Command } from 'commander';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';
import { type Output, type OutputFlags, openOutput, recordSummary, recordVersion } from './output.ts';

/** How a command ended: its code, 0 unless it says another, and the fields of its summary record. */
export interface Ending {
  readonly exitCode?: ExitCode;
  readonly summary?: Readonly<Record<string, unknown>>;
}

export interface ProgramErrors {
  readonly program: string;
  /** An expected error with its message and exit code; null for anything else, which is a bug. */
  toCommandError(error: unknown): CommandError | null;
  /** What an internal error means for the reader's data. */
  readonly afterBug: string;
}

type Run<Flags, Args extends unknown[]> = (
  output: Output,
  flags: Flags,
  ...args: Args
) => Promise<Ending> | Promise<void>;

/**
 * Makes the wrapper of a program's commands: the version record first, a summary record last (on failure too), an error
 * as a message, and the exit code of the table.
 */
export function createAction<Flags extends OutputFlags>(
  errors: ProgramErrors,
  { versionFirst = true }: { readonly versionFirst?: boolean } = {},
) {
  return <Args extends unknown[]>(run: Run<Flags, Args>) =>
    async (...all: [...Args, unknown, Command]): Promise<void> => {
      const command = all.at(-1) as Command;
      const args = all.slice(0, -1) as unknown as Args;
      const flags = command.optsWithGlobals<Flags>();
      const output = openOutput(flags);
      if (versionFirst) recordVersion(output, errors.program);
      try {
        const { exitCode = EXIT.done, summary = {} } = (await run(output, flags, ...args)) ?? {};
        end(output, exitCode, summary);
      } catch (error) {
        fail(output, errors, error);
      }
    };
}

function fail(output: Output, { program, toCommandError, afterBug }: ProgramErrors, error: unknown): void {
  recordVersion(output, program);
  const expected = error instanceof CommandError ? error : toCommandError(error);
  const { message } = expected ?? (error instanceof Error ? error : new Error(String(error)));
  output.warn(message);
  if (expected === null) {
    if (output.verbose && error instanceof Error) output.warn(error.stack ?? '');
    const next = output.verbose
      ? 'Report it with the stack trace above.'
      : 'Run again with --verbose for the stack trace.';
    output.warn(`Internal error (a bug). ${afterBug} ${next}`);
  }
  end(output, expected?.exitCode ?? EXIT.unexpected, { error: message });
}

function end(output: Output, exitCode: ExitCode, summary: Readonly<Record<string, unknown>>): void {
  recordSummary(output, exitCode, summary);
  process.exitCode = exitCode;
}
