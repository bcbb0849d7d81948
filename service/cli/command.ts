import { DatabaseUnavailableError, DatabaseUrlError } from '../../src/database/database.ts';
import { AccountError } from '../accounts/account.ts';
import { BackupError } from '../operations/backup.ts';
import { SettingsError } from '../settings-error.ts';
import { type Flags, type Output, openOutput, versionRecord } from './output.ts';

/** Exit codes, the same in both programs (docs/reference/commands.md). */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  difference: 3,
  transient: 5,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A flag, an argument or the configuration file cannot be used. Nothing was changed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was carried out and found something that must be looked at. */
export class DifferenceError extends Error {
  override readonly name = 'DifferenceError';
}

/** Errors that the caller can correct. Anything unknown, a TypeError included, is a defect and exits with 1. */
const USAGE_ERRORS = [UsageError, AccountError, SettingsError, DatabaseUrlError, BackupError];

/** Errors of listen(): the address of --host and --port cannot be used. */
const LISTEN_CODES = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES']);

function toExitCode(error: unknown): ExitCode {
  if (USAGE_ERRORS.some((usage) => error instanceof usage)) return EXIT.usage;
  if (error instanceof DifferenceError) return EXIT.difference;
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === 'listen' && LISTEN_CODES.has(code ?? '')) return EXIT.usage;
  if (error instanceof DatabaseUnavailableError) return EXIT.transient;
  return EXIT.unexpected;
}

/** Reports an error on stderr, writes the summary record of a failure, and sets the exit code. */
export function fail(flags: Flags, error: unknown): void {
  const exitCode = toExitCode(error);
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`courier-service: ${message}\n`);
  if (exitCode === EXIT.unexpected && error instanceof Error) {
    process.stderr.write(`This is a defect of the program; please report it.\n${error.stack}\n`);
  }
  openOutput(flags).record({ type: 'summary', ok: false, exit_code: exitCode, error: message });
  process.exitCode = exitCode;
}

/** Runs a command: version record, its own output, summary record. */
export async function run(flags: Flags, work: (output: Output) => Promise<void>): Promise<void> {
  const output = openOutput(flags);
  output.record(versionRecord);
  try {
    await work(output);
    output.record({ type: 'summary', ok: true, exit_code: EXIT.done });
  } catch (error) {
    fail(flags, error);
  }
}
