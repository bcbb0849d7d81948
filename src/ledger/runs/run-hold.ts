import type { Micros } from '../../../contract/money.ts';
import { isSpendReason, type Reason } from '../../submission/reason.ts';

/**
 * Why a run waits for a decision, with a sample of its URLs and what an approval buys. Stored as JSON in `runs.held`: whatever
 * asks you shows it, and the approval buys no more.
 */
export interface RunHold {
  readonly reasons: readonly Reason[];
  readonly sample: readonly string[];
  readonly forecast: Forecast;
}

/** What the planner would buy of what is due, at the prices and the balance known then. */
export interface Forecast {
  /** All that is due, also what earlier runs found. */
  readonly urls: number;
  /** The cost of all of them. Null when no price is known. */
  readonly cost: Micros | null;
  /** So many of them the caps, the floor and the balance allow now; the others follow in later runs. */
  readonly allowed: number;
}

/** Whether nothing else holds it than a cap, a price that is not known, or the balance. */
export const isHeldForMoney = ({ reasons }: RunHold): boolean => reasons.every(isSpendReason);

export const storeHold = (hold: RunHold): string => JSON.stringify(hold);

export const parseHold = (stored: string): RunHold => JSON.parse(stored) as RunHold;
