import type { Micros } from '../../contract/money.ts';
import type { Reference } from './ids.ts';

/** The addresses of the specification (section 4), by what they are for. */
export type Endpoint = 'root' | 'me' | 'balance' | 'stats' | 'submissions' | 'submission' | 'submit' | 'index-check';

/** Whether a request spent money, as far as its answer says. */
export type ChargeState = 'none' | 'charged' | 'unknown';

/**
 * What came back for one request, read but not judged: `outcomeOf` judges. `Data` is what a success holds at this
 * endpoint.
 */
export interface ApiAnswer<Data = unknown> {
  readonly endpoint: Endpoint;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly body: Body<Data>;
  /** The service's name of this request: quote it to its support. */
  readonly requestId: string | null;
  /** From Retry-After, in milliseconds; null without a readable one. */
  readonly retryAfterMs: number | null;
  readonly budgets: readonly HeaderBudget[];
  readonly tookMs: number;
}

export type Body<Data> =
  /** `success: true`, and the data could be read. */
  | { readonly kind: 'success'; readonly data: Data }
  /** `success: false` with the error of the envelope. */
  | { readonly kind: 'error'; readonly error: EnvelopeError }
  /**
   * An answer, but not one of the service's envelope: a proxy's page, a redirect, cut-off or contradictory JSON.
   * `claimsSuccess`: it says success somewhere all the same, so it is no refusal either.
   */
  | { readonly kind: 'unreadable'; readonly what: string; readonly claimsSuccess: boolean }
  /** No answer. `reached`: the request may have reached the service; false only when no connection was made. */
  | { readonly kind: 'none'; readonly reached: boolean; readonly timedOut: boolean; readonly what: string };

export interface EnvelopeError {
  readonly code: string | null;
  readonly message: string;
  /** URLs of the request that the error names, if it names any. */
  readonly named: readonly NamedUrl[];
  /** Other fields of the request that the error names, such as `project`. */
  readonly fields: readonly string[];
}

/** One URL of the request, named by its text or by its place in `urls`. */
export interface NamedUrl {
  readonly url: string | null;
  readonly index: number | null;
  readonly reason: string;
}

/** What rate-limit headers say of one window. */
export interface HeaderBudget {
  /** What the window is about, in the header's words, such as "submissions"; empty for requests in general. */
  readonly scope: string;
  /** Length of the window in seconds; null when the headers do not say. */
  readonly windowSeconds: number | null;
  readonly limit: number | null;
  readonly remaining: number | null;
  /** From now until the window is refilled, in milliseconds. */
  readonly resetMs: number | null;
}

/** What an accepted submission's answer holds (spec 4.6: at least the reference). */
export interface AcceptedData {
  /** Null when the success held no usable reference. */
  readonly reference: Reference | null;
  readonly state: string | null;
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  readonly balance: Micros | null;
  /** How many URLs the service says it took. */
  readonly urls: number | null;
}

export type Verdict = 'found' | 'not-found' | 'unknown';

/** What an index-check's answer holds (its shape is not specified). */
export interface CheckData {
  readonly results: readonly CheckResult[];
  readonly charged: Micros | null;
  readonly balance: Micros | null;
}

export interface CheckResult {
  readonly url: string | null;
  readonly verdict: Verdict;
  /** The service's own status, as it is shown. */
  readonly word: string | null;
  /** Whether the verdict was read; `unknown` is a verdict too. */
  readonly readable: boolean;
}
