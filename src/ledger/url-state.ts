/** What became of a URL. */
export type LedgerUrlState = 'known' | 'planned' | 'submitted' | 'completed' | 'failed' | 'held' | 'quarantined';
