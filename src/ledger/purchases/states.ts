/** The states of a batch. batches/transitions.ts has the ways between them, follow-state.ts where its money is in each. */
export type BatchState =
  /** Frozen, with no attempt in flight. A batch that was never charged can be taken back. */
  | 'planned'
  /** An attempt is in flight, or the outcome of one is unknown. */
  | 'sending'
  /** The service has accepted it. */
  | 'accepted'
  /** The service has refused it; its URLs are in other batches or in quarantine. Nothing was charged. */
  | 'refused'
  /** Nothing more is sent until an operator decides. */
  | 'needs_review'
  /** Taken back before anything was charged; its URLs are due again. */
  | 'cancelled';

/** The states of an index-check, with the ways between them in index-checks/transitions.ts. No list of the service has it. */
export type CheckState =
  | Extract<BatchState, 'planned' | 'sending' | 'refused' | 'cancelled'>
  /** The service has answered, and charged it. */
  | 'done'
  /** It is never sent again, and may have been charged: then it counts as charged. */
  | 'stopped';

export interface StateOf {
  readonly batch: BatchState;
  readonly check: CheckState;
}

export type PurchaseState = StateOf[keyof StateOf];
