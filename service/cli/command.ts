import { createAction, type Ending } from '../../src/cli-kit/action.ts';
import { CommandError, EXIT, type ExitCode } from '../../src/cli-kit/exit-codes.ts';
import type { Output, OutputFlags } from '../../src/cli-kit/output.ts';
import { CopyError } from '../../src/database/copy-sqlite.ts';
import {
  DatabaseUnavailableError,
  DatabaseUrlError,
  DatabaseVersionError,
  isLasting,
} from '../../src/database/database.ts';
import { AccountError } from '../accounts/account.ts';
import { SettingsError } from '../settings-error.ts';

/** Errors that the caller can correct. */
const USAGE_ERRORS = [AccountError, SettingsError, DatabaseUrlError, DatabaseVersionError, CopyError];

/** Errors of listen(): the address of --host and --port cannot be used. */
const LISTEN_CODES = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES']);

/** An error that the caller can act on, with its exit code; null for a bug, a TypeError included. */
export function toCommandError(error: unknown): CommandError | null {
  const exitCode = findExitCode(error);
  return exitCode === null || !(error instanceof Error)
    ? null
    : new CommandError(exitCode, error.message, { cause: error });
}

function findExitCode(error: unknown): ExitCode | null {
  if (USAGE_ERRORS.some((usage) => error instanceof usage)) return EXIT.usage;
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (syscall === 'listen' && LISTEN_CODES.has(code ?? '')) return EXIT.usage;
  if (!(error instanceof DatabaseUnavailableError)) return null;
  // A damaged file does not heal by itself: nothing is started again on it.
  return isLasting(error.failure) ? EXIT.partial : EXIT.transient;
}

const ERRORS = {
  program: 'courier-service',
  toCommandError,
  afterBug: 'The database is consistent: each change is stored completely or not at all.',
};

const action = createAction<OutputFlags>(ERRORS);
const serveAction = createAction<OutputFlags>(ERRORS, { versionFirst: false });

type Work<Args extends unknown[]> = (output: Output, ...args: Args) => Promise<Ending> | Promise<void>;

/** Wraps what a command does: see createAction. */
export const run = <Args extends unknown[]>(work: Work<Args>) =>
  action<Args>((output, _flags, ...args) => work(output, ...args));

/** The same for `serve`, whose first record says that it listens. */
export const runServe = <Args extends unknown[]>(work: Work<Args>) =>
  serveAction<Args>((output, _flags, ...args) => work(output, ...args));
