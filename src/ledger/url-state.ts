/** The state of a URL. */
export type LedgerUrlState = 'known' | 'planned' | 'submitted' | 'completed' | 'failed' | 'held' | 'quarantined';
