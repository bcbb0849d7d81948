/** Names that must not be mixed up. All are plain strings at run time. */
export type AccountId = string & { readonly __brand: 'AccountId' };
export type WatchId = string & { readonly __brand: 'WatchId' };
export type RunId = string & { readonly __brand: 'RunId' };
/** A ledger, wherever its database is: made when it is first opened, carried by everything that it starts. */
export type LedgerId = string & { readonly __brand: 'LedgerId' };
/** A batch's row in the ledger. */
export type BatchId = number & { readonly __brand: 'BatchId' };
/** `sc1-` and 40 hex digits; see `freeze.ts`. */
export type IdempotencyKey = string & { readonly __brand: 'IdempotencyKey' };
/** The service's name of a job (spec 2.1). */
export type Reference = string & { readonly __brand: 'Reference' };
