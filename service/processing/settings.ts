import type { ServiceLevel } from '../../contract/states.ts';

/** The Temporal server that processes submissions. */
export interface TemporalOptions {
  /** `host:port`. Absent: the TEMPORAL_* variables and profiles, with their TLS, API key and headers. */
  readonly address?: string;
  /** When absent, that of the environment where its server is used, else `default`. */
  readonly namespace?: string;
  /** A server that the program keeps itself: it takes no credentials of the environment. */
  readonly local?: boolean;
  readonly taskQueue?: string;
}

export interface ProcessingSettings {
  readonly processor: 'simulated' | 'indexnow';
  /** How long the simulated processor takes, from acceptance to the end. */
  readonly simulated: { readonly fastMs: number; readonly standardMs: number };
  readonly indexnow?: IndexNowSettings;
  /** How long after acceptance the rest of a submission's URLs fail, in milliseconds. */
  readonly deadlines: Readonly<Record<ServiceLevel, number>>;
  /** Whether failed URLs are paid back when a submission ends. */
  readonly refundFailed: boolean;
  /** How often the sweeper searches for accepted submissions that were never started. */
  readonly sweepMs: number;
}

export interface IndexNowSettings {
  /** For example https://api.indexnow.org/indexnow. */
  readonly endpoint: string;
  /** 8 to 128 characters of a-z A-Z 0-9 and hyphen; public by design of the protocol. */
  readonly key: string;
  /**
   * Where each host serves the key file; `{host}` stands for the host. Absent: /KEY.txt at the root of each host, as
   * the protocol has it.
   */
  readonly keyLocation?: string;
}
