import type { Forecast } from '../../submission/hold-question.ts';
import type { RunId } from '../../submission/ids.ts';
import { renderReason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import { isHeldForMoney, parseHold } from '../runs/run-hold.ts';
import { getRun } from '../runs/runs.ts';

export interface HeldRunFigures {
  readonly since: number;
  readonly reasons: readonly string[];
  /** What an approval buys at most. */
  readonly forecast: Forecast;
  /** Some of its URLs. */
  readonly sample: readonly string[];
  /** It waits for a cap, the balance or a price, and goes on by itself with them. */
  readonly isForMoney: boolean;
}

/** A run that waits for a decision; null when the ledger does not hold it. */
export async function findHeldRun(ledger: Ledger, run: RunId): Promise<HeldRunFigures | null> {
  const row = await getRun(ledger.db, run);
  if (row.held === null) return null;
  const hold = parseHold(row.held);
  const { reasons, forecast, sample } = hold;
  const isForMoney = isHeldForMoney(hold);
  return { since: row.started_at, reasons: reasons.map(renderReason), forecast, sample, isForMoney };
}
