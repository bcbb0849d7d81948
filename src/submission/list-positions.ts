import type { Reference } from './ids.ts';

/** Positions of an account's jobs in the service's list, newest first. */
export interface ListPositions {
  /** How many of the account's jobs are newer, as far as the ledger knows; no entry for an unknown job. */
  readonly newer: ReadonlyMap<Reference, number>;
  /** Whether more than one job is tracked now. */
  readonly several: boolean;
}
