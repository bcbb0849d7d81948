/** Folders of the code that spends money. */
export const BATCHES = 'src/ledger/batches';
export const MONEY = 'src/ledger/money';
export const PLANS = 'src/ledger/plans';
export const SUBMISSION = 'src/submission';
export const JOURNAL = 'src/ledger/journal';
