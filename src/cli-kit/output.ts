import { VERSION } from '../observability/version.ts';
import type { ExitCode } from './exit-codes.ts';

/** How a command speaks. stdout is data, stderr is progress and logs. */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Whether stderr is a terminal that may be redrawn. */
  readonly live: boolean;
  /** Writes a line of progress (stderr). Silent with --quiet. */
  say(line: string): void;
  /** Writes what went wrong (stderr), also with --quiet. */
  warn(line: string): void;
  /** Writes a line of the result (stdout). Silent with --json. */
  print(line: string): void;
  /** Writes one record of the machine output (stdout, NDJSON). Silent without --json. */
  record(record: OutputRecord): void;
}

export interface OutputRecord {
  readonly type: string;
}

export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
}

/** Opens the output of a command. Nothing is written yet: see `recordVersion`. */
export function openOutput({ json = false, quiet = false, verbose = false, color = true }: OutputFlags): Output {
  return {
    json,
    quiet,
    verbose,
    live: !quiet && !json && color && process.env.NO_COLOR === undefined && process.stderr.isTTY === true,
    say: (line) => {
      if (!quiet) process.stderr.write(`${line}\n`);
    },
    warn: (line) => {
      process.stderr.write(`${line}\n`);
    },
    print: (line) => {
      if (!json) process.stdout.write(`${line}\n`);
    },
    record: (record) => {
      if (json) process.stdout.write(`${JSON.stringify(record)}\n`);
    },
  };
}

/**
 * Writes what a command did (stdout). With --quiet a success is silent, and anything else goes to stderr, where errors
 * go too: a scheduled command then has one stream to mail.
 */
export function report(output: Output, exitCode: ExitCode, lines: readonly string[]): void {
  for (const line of lines) {
    if (!output.quiet) output.print(line);
    else if (exitCode !== 0 && !output.json) output.warn(line);
  }
}

const begun = new WeakSet<Output>();

/** Writes the version record, once for each output. */
export function recordVersion(output: Output, program: string): void {
  if (begun.has(output)) return;
  begun.add(output);
  const record = { type: 'version', schema: 1, program, version: VERSION };
  output.record(record);
}

/** Writes the summary record, the last of every command. */
export function recordSummary(output: Output, exitCode: ExitCode, fields: Readonly<Record<string, unknown>>): void {
  const record = { type: 'summary', ok: exitCode === 0, exit_code: exitCode, ...fields };
  output.record(record);
}
