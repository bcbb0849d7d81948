/** A normalised, absolute http(s) URL without fragment: what the ledger knows and what is submitted. */
export type Url = string & { readonly __brand: 'Url' };
