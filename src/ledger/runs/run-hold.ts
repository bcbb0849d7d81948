import type { Reason } from '../../submission/reason.ts';

/** Why a run waits for a decision, with a sample of its URLs. Stored as JSON in `runs.held`. */
export interface RunHold {
  readonly reasons: readonly Reason[];
  readonly sample: readonly string[];
}

export const storeHold = (hold: RunHold): string => JSON.stringify(hold);

export const parseHold = (stored: string): RunHold => JSON.parse(stored) as RunHold;
