/** Values of the search attribute CourierPhase, as workflows set them and clients read them. */
export const WATCH_PHASE = {
  crawling: 'crawling',
  comparing: 'comparing',
  /** A guard holds the run until it is approved or rejected. */
  held: 'held',
  rejected: 'rejected',
  planning: 'planning',
  submitting: 'submitting',
  done: 'done',
} as const;

export const DISPATCH_PHASE = {
  sending: 'sending',
  /** The balance, the floor or a cap does not allow the next batch. */
  suspended: 'suspended',
  keyRejected: 'key rejected',
  done: 'done',
} as const;

export const CHECK_PHASE = { checking: 'checking', stopped: 'stopped', done: 'done' } as const;
