import { LIMITS } from '../contract/limits.ts';
import { INDEX_CHECK_PRICE, type Micros } from '../contract/money.ts';
import type { ServiceLevel } from '../contract/states.ts';
import type { PostgresLimits } from '../src/database/postgres.ts';
import type { BodyMemoryLimits } from './capacity/body-memory.ts';
import type { LoadLimits } from './capacity/load.ts';
import type { IndexCheckSettings } from './index-check/settings.ts';
import type { ProcessingSettings } from './processing/settings.ts';

/** At most `limit` requests per key in any window of this length. */
export interface Window {
  readonly limit: number;
  readonly windowMs: number;
}

/** The budgets of section 8; the lengths are settings so that a test need not wait an hour. */
export interface BudgetSettings {
  readonly minute: Window;
  readonly hour: Window;
  readonly day: Window;
  readonly submissions: Window;
}

/** PEM files. They are read again when they change. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** After how many days records are deleted that nothing is computed from; null: never. Money is never deleted. */
export interface Retention {
  /** The URLs of a submission, counted from its end. */
  readonly urlsDays: number | null;
  /** URLs and results of an index-check, counted from its end. */
  readonly checksDays: number | null;
  readonly eventsDays: number | null;
  /** Keys, counted from when they ended. */
  readonly keysDays: number | null;
}

export interface DashboardSettings {
  /** The operator's; null: the name of the product. */
  readonly name: string | null;
  /** An image file, shown beside the name. */
  readonly logoFile: string | null;
}

export interface ServiceSettings {
  /** The service level of a submission that names none (spec 2.3 leaves it open). */
  readonly defaultService: ServiceLevel;
  readonly budgets: BudgetSettings;
  /** Largest body of a POST: 5,000 URLs of 2,048 ASCII characters and their quotes fit. */
  readonly bodyLimitBytes: number;
  readonly indexCheckPrice: Micros;
  readonly indexCheck: IndexCheckSettings;
  readonly processing: ProcessingSettings;
  /**
   * Addresses or networks of the proxies before the service. X-Forwarded-For, -Host and -Proto are trusted only from
   * them; without this setting every client behind a proxy has the address of the proxy.
   */
  readonly trustedProxies: readonly string[];
  /** The path below which a proxy serves the service and which it takes off: empty, or `/indexing`. */
  readonly pathPrefix: string;
  /** Bodies that are in memory at the same time. */
  readonly bodies: BodyMemoryLimits;
  /** Requests that are answered at the same time. */
  readonly load: LoadLimits;
  /** Limits of Postgres for every statement of the service. */
  readonly postgres: PostgresLimits;
  /** How long a stop may take: what is not answered or processed by then is cut off, in milliseconds. */
  readonly stopMs: number;
  /** Certificate and key, when the service speaks TLS itself. */
  readonly tls: TlsFiles | null;
  /** Where /metrics, /healthz and /readyz are served apart from customers; null: nowhere. */
  readonly admin: Listen | null;
  readonly retention: Retention;
  readonly dashboard: DashboardSettings;
  /** Set the Secure attribute of cookies and HSTS: the service is reached over HTTPS. */
  readonly https: boolean;
}

const MINUTE_MS = 60_000;

export const DEFAULT_SETTINGS: ServiceSettings = {
  defaultService: 'standard',
  budgets: {
    minute: { limit: LIMITS.requests.minute, windowMs: MINUTE_MS },
    hour: { limit: LIMITS.requests.hour, windowMs: 60 * MINUTE_MS },
    day: { limit: LIMITS.requests.day, windowMs: 24 * 60 * MINUTE_MS },
    submissions: { limit: LIMITS.submissionsPerMinute, windowMs: MINUTE_MS },
  },
  bodyLimitBytes: 12 * 1024 * 1024,
  indexCheckPrice: INDEX_CHECK_PRICE,
  indexCheck: { provider: 'simulated', timeoutMs: 30_000, leaseMs: 60_000, waitMs: 5_000, retryAfterSeconds: 10 },
  processing: {
    processor: 'simulated',
    simulated: { fastMs: 5 * MINUTE_MS, standardMs: 180 * MINUTE_MS },
    deadlines: { fast: 24 * 60 * MINUTE_MS, standard: 7 * 24 * 60 * MINUTE_MS },
    refundFailed: false,
    sweepMs: 1_000,
  },
  trustedProxies: [],
  pathPrefix: '',
  bodies: { totalBytes: 192 * 1024 * 1024, accountBytes: 48 * 1024 * 1024 },
  load: { requests: 1_000, requestsPerAccount: 400 },
  postgres: { statementMs: 8_000, lockMs: 3_000, idleMs: 10_000 },
  stopMs: 8_000,
  https: false,
  tls: null,
  admin: null,
  retention: { urlsDays: null, checksDays: null, eventsDays: null, keysDays: 90 },
  dashboard: { name: null, logoFile: null },
};
