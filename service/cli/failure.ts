import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { AccountError } from '../accounts/account.ts';
import { type Flags, openOutput, versionRecord } from './output.ts';

/** Exit codes, as of the whole project (docs/commands.md). */
export const EXIT = { done: 0, unexpected: 1, usage: 2, transient: 5, interrupted: 130, terminated: 143 } as const;

/** What the command line or the configuration file says cannot be used. Nothing was changed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const exitCodeOf = (error: unknown): number => {
  if (error instanceof UsageError || error instanceof AccountError || error instanceof TypeError) return EXIT.usage;
  if (error instanceof DatabaseUnavailableError) return EXIT.transient;
  return EXIT.unexpected;
};

/** Says on stderr what went wrong, ends the machine output, and sets the exit code. */
export function fail(flags: Flags, error: unknown): void {
  const message = (error as Error).message;
  process.stderr.write(`courier-service: ${message}\n`);
  process.exitCode = exitCodeOf(error);
  openOutput(flags).record({ type: 'summary', ok: false, exit_code: process.exitCode, message });
}

/** Runs a command that ends by itself: version record, its own output, summary. */
export async function run(flags: Flags, work: (output: ReturnType<typeof openOutput>) => Promise<void>): Promise<void> {
  const output = openOutput(flags);
  output.record(versionRecord);
  try {
    await work(output);
    output.record({ type: 'summary', ok: true, exit_code: EXIT.done });
  } catch (error) {
    fail(flags, error);
  }
}
