import { EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';
import type { RunHold } from '../../ledger/runs/run-hold.ts';
import { describeForecast, describeRemedy } from '../../submission/hold-question.ts';
import { renderReason } from '../../submission/reason.ts';

/** What asks you about a held run, in the same words everywhere. */
export interface HeldText {
  /** Why it is held, and what an approval buys for how much at most. */
  readonly question: string;
  /** What ends it without a decision; null where only a decision does. */
  readonly remedy: string | null;
  /** 7 when only money is missing: no approval helps. */
  readonly exitCode: ExitCode;
}

export function describeHeld({ reasons, forecast }: Pick<RunHold, 'reasons' | 'forecast'>): HeldText {
  const why = reasons.map((reason) => renderReason(reason).replace(/[.]$/, '')).join('; ');
  const remedy = describeRemedy(reasons);
  const what = describeForecast(forecast);
  return remedy === null
    ? { question: `a guard holds this run: ${what} (${why})`, remedy, exitCode: EXIT.guard }
    : { question: `this run waits for money: ${what} (${why})`, remedy, exitCode: EXIT.balanceOrCap };
}
