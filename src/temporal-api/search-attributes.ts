import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** Memo of a workflow that was started in a namespace without our search attributes: it must not set any. */
export const NO_SEARCH_ATTRIBUTES = 'CourierNoSearchAttributes';

/** CourierSummary of a workflow that no worker has taken yet. */
export const NOT_BEGUN = 'Waits for a worker: start "courier worker"';

/** Attributes that find one submission among a million in the Web UI. Registered by `src/temporal/ensure-search-attributes.ts`. */
export const SEARCH_ATTRIBUTES = {
  ledger: defineSearchAttributeKey('CourierLedger', SearchAttributeType.KEYWORD),
  account: defineSearchAttributeKey('CourierAccount', SearchAttributeType.KEYWORD),
  watch: defineSearchAttributeKey('CourierWatch', SearchAttributeType.KEYWORD),
  phase: defineSearchAttributeKey('CourierPhase', SearchAttributeType.KEYWORD),
  reference: defineSearchAttributeKey('CourierReference', SearchAttributeType.KEYWORD),
  service: defineSearchAttributeKey('CourierService', SearchAttributeType.KEYWORD),
  urls: defineSearchAttributeKey('CourierUrls', SearchAttributeType.INT),
  /** What it does or waits for, with the money: a column of the list of workflows. */
  summary: defineSearchAttributeKey('CourierSummary', SearchAttributeType.KEYWORD),
} as const;
