/** Why the ledger refuses a step. Code compares the code; the message is for you. */
export type LedgerErrorCode =
  /** The run is not in the ledger. */
  | 'UNKNOWN_RUN'
  /** The run was ended before: nothing may be added to it. */
  | 'RUN_ENDED'
  /** The plan that was reviewed is not what would be carried out now. */
  | 'STALE_PLAN'
  /** The plan was carried out before. */
  | 'PLAN_APPLIED'
  /** The run waits for a decision, or was rejected. */
  | 'NOT_APPROVED'
  | 'UNKNOWN_BATCH'
  | 'UNKNOWN_CHECK'
  /** What was asked for is not possible from the state that a batch or job is in. */
  | 'WRONG_STATE'
  /** The account's base URL is not the one that its money and jobs belong to. */
  | 'OTHER_SERVICE'
  | 'NOTHING_TO_DECIDE';

/** The ledger refused a step and changed nothing. The message says what to do. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly code: LedgerErrorCode;

  constructor(code: LedgerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
