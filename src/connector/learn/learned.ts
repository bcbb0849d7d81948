import type { ApiError } from '../../api-client/errors.ts';
import type { RequestName } from './read-values.ts';

/** A value of a response, or a field of it that nothing reads. */
export interface Reading {
  readonly request: RequestName;
  /** Null: nothing is read from this field. */
  readonly value: string | null;
  /** Where it stands, and what is there; null: it is not in the response, or not under a known name. */
  readonly path: string | null;
  readonly shown: string | null;
  /** What was read; null: nothing. */
  readonly read: string | null;
}

/** A setting for what could not be read. */
export interface Proposal {
  /** Below the account: `status_map.url.completed`. */
  readonly setting: string;
  /** What it should have; what it may have, where only you can say. */
  readonly values: readonly (string | number)[];
  readonly why: string;
  readonly decided: boolean;
}

export interface Learned {
  readonly readings: readonly Reading[];
  readonly proposals: readonly Proposal[];
  /** A request that failed: why. */
  readonly failures: readonly { readonly request: RequestName; readonly error: ApiError }[];
}
