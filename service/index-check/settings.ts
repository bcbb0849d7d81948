export interface IndexCheckSettings {
  readonly provider: 'simulated' | 'brave';
  readonly brave?: BraveSettings;
  /** How long the queries of one check may take. */
  readonly timeoutMs: number;
  /** After this long without a result the charge is restored, whatever became of the process. */
  readonly leaseMs: number;
  /** How long a repeated request waits for the first one before it is answered with 409 request_in_progress. */
  readonly waitMs: number;
  readonly retryAfterSeconds: number;
}

export interface BraveSettings {
  /** For example https://api.search.brave.com/res/v1/web/search. */
  readonly endpoint: string;
  /** Subscription token: a secret, sent in X-Subscription-Token only. */
  readonly token: string;
  /** Queries a second of the plan, for this process: divide it by the number of processes. */
  readonly perSecond: number;
}
