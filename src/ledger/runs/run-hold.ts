import { type Forecast, findMoneyReason } from '../../submission/hold-question.ts';
import type { Reason } from '../../submission/reason.ts';

/**
 * Why a run waits for a decision, with a sample of its URLs and what an approval buys. Stored as JSON in `runs.held`: whatever
 * asks you shows it, and the approval buys no more.
 */
export interface RunHold {
  readonly reasons: readonly Reason[];
  readonly sample: readonly string[];
  readonly forecast: Forecast;
}

/** Whether nothing else holds it than a cap, a price that is not known, or the balance. */
export const isHeldForMoney = ({ reasons }: Pick<RunHold, 'reasons'>): boolean => findMoneyReason(reasons) !== null;

export const storeHold = (hold: RunHold): string => JSON.stringify(hold);

export const parseHold = (stored: string): RunHold => JSON.parse(stored) as RunHold;
