/** Exit codes of both programs (docs/reference/exit-codes.md). They never change; any other non-zero code is a failure. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  partial: 3,
  changesPending: 4,
  transient: 5,
  keyRefused: 6,
  balanceOrCap: 7,
  guard: 8,
  busy: 9,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface ExitMeaning {
  readonly meaning: string;
  readonly next: string;
}

/** What each code means and what to do: the table of docs/reference/exit-codes.md. */
export const EXIT_MEANING: Readonly<Record<ExitCode, ExitMeaning>> = {
  0: { meaning: 'done; also nothing to do', next: 'nothing' },
  1: { meaning: 'internal error (a bug)', next: 'run again with `--verbose` and report the stack trace' },
  2: { meaning: 'usage or configuration', next: 'correct what the message names; nothing was changed or charged' },
  3: {
    meaning: 'partial: something failed, is incomplete, damaged or in quarantine, and does not heal by itself',
    next: 'read the notices',
  },
  4: { meaning: 'changes pending (`plan --detailed-exitcode` only)', next: 'apply the plan, or start a run' },
  5: { meaning: 'transient', next: 'try again later; planned batches stay planned' },
  6: { meaning: 'the service rejects the API key', next: 'replace the key; sending resumes automatically' },
  7: { meaning: 'the balance or a cap is reached', next: 'top up, raise the cap, or wait for the next period' },
  8: {
    meaning: 'a guard holds a run; you decide',
    next: 'approve or reject it with the command that the message names',
  },
  9: { meaning: 'another run is active, or a process uses the ledger', next: 'wait for its end, or stop it' },
  130: { meaning: 'ended by SIGINT', next: 'run again to continue' },
  143: { meaning: 'ended by SIGTERM', next: 'run again to continue' },
};

/** Ends a command with a message for the reader instead of a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The command line, a file or the configuration is wrong; nothing was done. */
export class UsageError extends CommandError {
  constructor(message: string, options?: ErrorOptions) {
    super(EXIT.usage, message, options);
  }
}

/** The worst of several outcomes: what you must decide comes before what failed, and that before what is only late. */
const WORST_FIRST: readonly ExitCode[] = [1, 130, 143, 2, 6, 8, 7, 9, 3, 5, 4, 0];

export function pickWorst(codes: readonly ExitCode[]): ExitCode {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? EXIT.done;
}
