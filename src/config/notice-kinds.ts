/** What a worker sends messages for. */
export const NOTICE_KINDS = [
  'run_failing',
  'run_held',
  'no_success',
  'kept_back',
  'quarantine',
  'key_rejected',
  'account_suspended',
  'account_held',
  'account_stopped',
  'service_unavailable',
  'balance_low',
  'price_changed',
  'needs_review',
  'ledger_unwritable',
] as const;

export type NoticeKind = (typeof NOTICE_KINDS)[number];
