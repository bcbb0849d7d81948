import type { Reference } from './ids.ts';

/** Where the service's list, newest first, has an account's jobs. */
export interface ListPositions {
  /** How many of the account's jobs are newer, as far as the ledger knows; none for a job that it does not know. */
  readonly newer: ReadonlyMap<Reference, number>;
  /** Whether more than one job is followed now. */
  readonly several: boolean;
}
