import type { Micros } from '../../contract/money.ts';
import type { Reference } from './ids.ts';

/** The endpoints of the specification (section 4). */
export type Endpoint = 'root' | 'me' | 'balance' | 'stats' | 'submissions' | 'submission' | 'submit' | 'index-check';

/** Whether a request was charged, as far as its response says. */
export type ChargeState = 'none' | 'charged' | 'unknown';

/**
 * The parsed response to one request. `decideOutcome` decides what it means. `Data` is the payload of a success at this
 * endpoint.
 */
export interface ApiAnswer<Data = unknown> {
  readonly endpoint: Endpoint;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  readonly body: Body<Data>;
  /** The service's id of this request: quote it to its support. */
  readonly requestId: string | null;
  /** From Retry-After, in milliseconds; null when the header is absent or invalid. */
  readonly retryAfterMs: number | null;
  readonly budgets: readonly HeaderBudget[];
  readonly tookMs: number;
}

export type Body<Data> =
  /** `success: true` with valid data. */
  | { readonly kind: 'success'; readonly data: Data }
  /** `success: false` with the envelope's error. */
  | { readonly kind: 'error'; readonly error: EnvelopeError }
  /**
   * A response without the service's envelope: a proxy's page, a redirect, truncated or contradictory JSON.
   * `claimsSuccess`: the body says success somewhere, so it does not count as a refusal either.
   */
  | { readonly kind: 'unreadable'; readonly what: string; readonly claimsSuccess: boolean }
  /** No response. `reached`: the request may have reached the service; false only when no connection was made. */
  | { readonly kind: 'none'; readonly reached: boolean; readonly timedOut: boolean; readonly what: string };

export interface EnvelopeError {
  readonly code: string | null;
  readonly message: string;
  /** The request's URLs that the error names. */
  readonly named: readonly NamedUrl[];
  /** The request's other fields that the error names, such as `project`. */
  readonly fields: readonly string[];
}

/** One URL of the request, named by its text or by its index in `urls`. */
export interface NamedUrl {
  readonly url: string | null;
  readonly index: number | null;
  readonly reason: string;
}

/** One rate-limit window, as the headers report it. */
export interface HeaderBudget {
  /** The header's name for the limited requests, such as "submissions"; empty for requests in general. */
  readonly scope: string;
  /** Length of the window in seconds; null when unreported. */
  readonly windowSeconds: number | null;
  readonly limit: number | null;
  readonly remaining: number | null;
  /** From now until the window resets, in milliseconds. */
  readonly resetMs: number | null;
}

/** The response to an accepted submission (spec 4.6: at least the reference). */
export interface AcceptedData {
  /** Null when the success has no usable reference. */
  readonly reference: Reference | null;
  readonly state: string | null;
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  /** A mere "price": of one URL, or of all of them. */
  readonly price?: Micros | null;
  /** The currency of the amounts, where it is named and is not the lira; such amounts are null. */
  readonly otherCurrency?: string | null;
  /** A charge or price that can be read as two amounts, as the service writes it; it is null above. */
  readonly doubtfulAmount?: string | null;
  readonly balance: Micros | null;
  /** The number of accepted URLs that the service reports. */
  readonly urls: number | null;
}

export type Verdict = 'found' | 'not-found' | 'unknown';

/** The response to an index-check (the specification does not define its shape). */
export interface CheckData {
  readonly results: readonly CheckResult[];
  readonly charged: Micros | null;
  readonly balance: Micros | null;
}

export interface CheckResult {
  readonly url: string | null;
  readonly verdict: Verdict;
  /** The service's own status text, shown unchanged. */
  readonly statusName: string | null;
  /** Whether the verdict could be parsed; `unknown` is a verdict too. */
  readonly readable: boolean;
}
