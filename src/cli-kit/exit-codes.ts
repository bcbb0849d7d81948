/** Exit codes, for ever (docs/reference/commands.md). Any other non-zero code is a failure too. */
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

/** Ends a command with a sentence for the reader instead of a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The worst of several outcomes: what a person must decide comes before what failed, before what is merely late. */
const WORST_FIRST: readonly ExitCode[] = [1, 2, 6, 8, 7, 9, 3, 5, 4, 0];

export function pickWorst(codes: readonly ExitCode[]): ExitCode {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? EXIT.done;
}
