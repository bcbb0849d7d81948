import { VERSION } from '../observability/version.ts';

/** What every command knows about how to speak. stdout is data, stderr is progress and logs. */
export interface Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Whether stderr is a terminal that may be redrawn. */
  readonly live: boolean;
  /** A line of progress for people (stderr). Silent with --quiet. */
  say(line: string): void;
  /** A line of the result for people (stdout). Silent with --json. */
  print(line: string): void;
  /** One record of the machine output (stdout, NDJSON). Silent without --json. */
  record(record: { readonly type: string } & Record<string, unknown>): void;
}

export interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color?: boolean;
}

/** Opens the output of a command; with --json its version record comes first. */
export function openOutput(program: string, flags: OutputFlags): Output {
  const { json = false, quiet = false, verbose = false, color = true } = flags;
  const output: Output = {
    json,
    quiet,
    verbose,
    live: !quiet && !json && color && process.env.NO_COLOR === undefined && process.stderr.isTTY === true,
    say: (line) => {
      if (!quiet) process.stderr.write(`${line}\n`);
    },
    print: (line) => {
      if (!json) process.stdout.write(`${line}\n`);
    },
    record: (record) => {
      if (json) process.stdout.write(`${JSON.stringify(record)}\n`);
    },
  };
  output.record({ type: 'version', schema: 1, program, version: VERSION });
  return output;
}
