/** Values of the search attribute CourierPhase, as workflows set them and clients read them. */
export const WATCH_PHASE = {
  crawling: 'crawling',
  comparing: 'comparing',
  /** A guard holds the run until it is approved or rejected. */
  held: 'held',
  rejected: 'rejected',
  planning: 'planning',
  submitting: 'submitting',
  /** It waits for its account: for money, a key, or the time of the next attempt. */
  waiting: 'waiting',
  done: 'done',
  /** It has ended, and not every sitemap could be read. */
  incomplete: 'incomplete',
  failed: 'failed',
} as const;

export const DISPATCH_PHASE = {
  sending: 'sending',
  /** The balance, the floor or a cap does not allow the next batch. */
  suspended: 'suspended',
  keyRejected: 'key rejected',
  /** Every planned batch waits for a time of its own, such as the next day of a cap. */
  waiting: 'waiting',
  done: 'done',
} as const;

export const CHECK_PHASE = { checking: 'checking', stopped: 'stopped', done: 'done' } as const;
