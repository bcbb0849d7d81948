import type { Micros } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { AmountFormat } from '../submission/amount-format.ts';
import type { FieldNames } from '../submission/answer-fields.ts';
import type { IndexCheckPolicy } from '../submission/check-schedule.ts';
import type { GuardPolicy } from '../submission/guard.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';
import type { PollPolicy } from '../submission/poll-schedule.ts';
import type { StatusMap } from '../submission/status-map.ts';
import type { AddressReference, NotifySettings } from './notify.ts';
import type { REPORT_LANGUAGES } from './schema/report.ts';
import type { SecretReference } from './schema.ts';

/** The resolved configuration: durations in milliseconds, money in micro-lira, defaults filled in. */
export interface Config {
  readonly accounts: ReadonlyMap<AccountId, Account>;
  readonly watches: ReadonlyMap<WatchId, Watch>;
  readonly temporal: TemporalServer;
  readonly worker: WorkerLimits;
  readonly ledgerUrl: string;
  /** Where a worker shows its metrics and health; null: nowhere. */
  readonly admin: AdminSettings | null;
  readonly notify: NotifySettings;
  /** When and where a worker writes reports; null: never. */
  readonly report: ReportSettings | null;
  /** When old details are removed from the ledger; null: never. */
  readonly retention: RetentionSettings | null;
}

export interface AdminSettings {
  readonly host: string;
  readonly port: number;
  /** Who may ask for a run with POST /runs/WATCH; null: nobody. */
  readonly runs: { readonly secret: SecretReference } | null;
}

/** What a worker process does at once (`worker` of the configuration). */
export interface WorkerLimits {
  readonly slots: Readonly<Record<'workflows' | 'crawl' | 'submit' | 'track' | 'check', number>>;
  /** Crawls beyond the minimum start only below these shares of the host, in [0, 1]. */
  readonly adaptiveCrawls: { readonly minimum: number; readonly memory: number; readonly processor: number };
  readonly pollers: number;
  readonly cachedWorkflows: number;
}

/** Where the workflows run. The credentials belong to the server that `address` names. */
export interface TemporalServer {
  /** Empty: what the environment names. */
  readonly address: string;
  readonly namespace: string;
  /** Null: that of the environment. */
  readonly tls: TlsFiles | null;
  /** Null: that of the environment. A file is an absolute path. */
  readonly apiKey: SecretReference | null;
  /** Null: the server can read what it stores. */
  readonly encryption: EncryptionKeys | null;
}

export interface EncryptionKeys {
  /** Null: nothing is encrypted any more. */
  readonly key: SecretReference | null;
  readonly formerKeys: readonly SecretReference[];
}

/** Absolute paths. */
export interface TlsFiles {
  readonly ca: string | null;
  readonly cert: string | null;
  readonly key: string | null;
  readonly serverName: string | null;
}

export interface RetentionSettings {
  /** In milliseconds. */
  readonly ages: { readonly runs: number; readonly batches: number; readonly index_checks: number };
  /** An absolute path; null: they are not kept. */
  readonly archive: string | null;
  readonly cron: string;
  readonly timezone: string;
}

export interface ReportSettings {
  readonly cron: string;
  readonly timezone: string;
  /** An absolute path. */
  readonly folder: string;
  readonly days: number;
  readonly keep: number;
  readonly language: (typeof REPORT_LANGUAGES)[number];
}

/** The account of a watch; it exists, because the configuration was validated. */
export function requireAccount({ accounts }: Config, id: AccountId): Account {
  const account = accounts.get(id);
  if (account === undefined) throw new RangeError(`account "${id}" is not in the configuration`);
  return account;
}

export interface Account {
  readonly id: AccountId;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** A file is an absolute path. */
  readonly apiKey: SecretReference;
  /** Which of the two equivalent headers carries the key (spec 5). */
  readonly authentication: 'bearer' | 'x-api-key';
  /** Null: learned from the prices that the service shows or charges. */
  readonly pricePerUrl: Readonly<Record<ServiceLevel, Micros | null>>;
  readonly limits: RequestLimits;
  readonly spend: { readonly perDay: Micros | null; readonly perMonth: Micros | null; readonly balanceFloor: Micros };
  readonly tracking: Readonly<Record<ServiceLevel, PollPolicy>>;
  readonly timeouts: RequestTimeouts;
  /** As the specification names them where it does, else as the service does, in lower case. */
  readonly terminalStates: readonly string[];
  /** The age at which a batch in doubt is looked up in the list before it is sent again, in milliseconds. */
  readonly reconcile: {
    readonly afterMs: number;
    readonly confirmMs: number;
    /** A process that has never read the list may not spend. */
    readonly needsList: boolean;
  };
  /** The account's own status names before the built-in ones. */
  readonly statusMap: StatusMap;
  /** What the service calls its values, besides the usual names. */
  readonly fieldNames: FieldNames;
  /** How the service writes an amount that two countries read differently; null: such an amount is not read. */
  readonly amounts: AmountFormat | null;
}

export interface RequestLimits {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly submissionsPerMinute: number;
  /** The length of the service's minute; hour and day follow. Differs from a real minute only for test services. */
  readonly minuteMs: number;
}

/** How long a request may take, in milliseconds. */
export interface RequestTimeouts {
  readonly connectMs: number;
  /** Until the response begins. */
  readonly headersMs: number;
  /** The whole request. */
  readonly totalMs: number;
}

export interface Watch {
  readonly id: WatchId;
  readonly account: AccountId;
  readonly project: string;
  readonly service: ServiceLevel;
  readonly schedule: { readonly cron: string; readonly timezone: string } | null;
  /** Sitemap, index, feed or robots.txt addresses, or local files. */
  readonly sources: readonly string[];
  /** Null: any host. */
  readonly hosts: readonly string[] | null;
  /** The hosts that the configuration names; none when they are those of the sitemaps. */
  readonly namedHosts: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly hreflang: boolean;
  /** How the sitemaps are requested. */
  readonly crawl: { readonly respectCrawlDelay: boolean };
  readonly allowPrivateHosts: readonly string[];
  readonly headers: Readonly<Record<string, string | SecretReference>>;
  readonly paused: boolean;
  /** Requested after each complete run; null: nothing is. */
  readonly ping: AddressReference | null;
  /** 1 to 5: runs with 1 go first while more are due than there are slots for crawls. */
  readonly priority: number;
  readonly firstRun: 'baseline' | 'submit';
  readonly resubmit: { readonly onLastmodChange: boolean; readonly notWithinMs: number };
  readonly retryFailed: { readonly times: number; readonly afterMs: number };
  readonly guard: GuardPolicy;
  readonly spend: { readonly perRun: Micros | null; readonly perDay: Micros | null; readonly perMonth: Micros | null };
  readonly indexCheck: IndexCheckPolicy | null;
}
