/** Why an operation ended early. A program maps it to its own exit code or response. */
export type OperationFailure =
  /** Another run of the watch is active. */
  | 'run_active'
  /** The service rejects the API key. */
  | 'key_rejected'
  /** The API key belongs to another account of the service than the ledger. */
  | 'other_account'
  /** The balance or a cap does not allow the next batch. */
  | 'funds'
  /** The account sends nothing until you have said what happened. */
  | 'held'
  /** No response in time: try again later. */
  | 'no_response'
  /** The listener for metrics and health cannot open its address. */
  | 'listener'
  /** The workflow failed. */
  | 'failed';

/** An operation of the connector that ended early. The message says what happened and what it means. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
  readonly failure: OperationFailure;

  constructor(failure: OperationFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
