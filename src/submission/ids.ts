/** Branded ids, so that the compiler refuses mix-ups. Plain strings and numbers at run time. */
export type AccountId = string & { readonly __brand: 'AccountId' };
export type WatchId = string & { readonly __brand: 'WatchId' };
export type RunId = string & { readonly __brand: 'RunId' };
/** Identifies a ledger wherever its database is: created on first open, part of every workflow id. */
export type LedgerId = string & { readonly __brand: 'LedgerId' };
/** A batch's row in the ledger. */
export type BatchId = number & { readonly __brand: 'BatchId' };
/** `sc1-` and 40 hex digits; see `freeze.ts`. */
export type IdempotencyKey = string & { readonly __brand: 'IdempotencyKey' };
/** The service's id of a job (spec 2.1). */
export type Reference = string & { readonly __brand: 'Reference' };
