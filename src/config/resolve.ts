import { resolve as resolvePath } from 'node:path';
import { LIMITS } from '../../contract/limits.ts';
import { type Micros, parseTry, ZERO } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { IndexCheckPolicy } from '../submission/check-schedule.ts';
import { DEFAULT_MAX_CHANGED, DEFAULT_MAX_CHANGED_PERCENT } from '../submission/guard.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { DEFAULT_POLLING, type PollPolicy } from '../submission/poll-schedule.ts';
import { DEFAULT_CONFIRM_MS, DEFAULT_KEY_TRUST_MS } from '../submission/reconcile.ts';
import { DEFAULT_PRIORITY } from '../submission/run-priority.ts';
import type {
  Account,
  AdminSettings,
  ReportSettings,
  RetentionSettings,
  TemporalServer,
  Watch,
  WorkerLimits,
} from './config.ts';
import { parseDuration } from './duration.ts';
import type { AddressReference } from './notify.ts';
import type { RawAccount, RawConfig, RawWatch, SecretReference } from './schema.ts';
import { toStatusMap, toTerminalStates } from './status-map.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** The service charges and stores 5,000 URLs before a response begins. */
export const DEFAULT_TIMEOUTS = { connectMs: 10_000, headersMs: 60_000, totalMs: 90_000 };

/** A relative SQLite path is relative to the configuration file, so that cron and a shell open the same ledger. */
export function toLedgerUrl(url: string, folder: string): string {
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
  return path === null || path === ':memory:' ? url : `sqlite:${resolvePath(folder, path)}`;
}

/** Absent is no cap, so a text that is no amount must never become absent. */
function money(text: string | undefined): Micros | null {
  if (text === undefined) return null;
  const amount = parseTry(text);
  if (amount === null) throw new RangeError(`not an amount of lira: ${text}`);
  return amount;
}

const duration = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : (parseDuration(text) ?? otherwise);

function toPollPolicy(raw: NonNullable<RawAccount['tracking']>[ServiceLevel], otherwise: PollPolicy): PollPolicy {
  return {
    firstMs: duration(raw?.first, otherwise.firstMs),
    minMs: duration(raw?.min, otherwise.minMs),
    maxMs: duration(raw?.max, otherwise.maxMs),
    growth: raw?.growth ?? otherwise.growth,
    timeoutMs: duration(raw?.timeout, otherwise.timeoutMs),
  };
}

/** A single amount is the price of both levels. */
function toPrices(raw: RawAccount['price_per_url']): Account['pricePerUrl'] {
  const { standard, fast } = typeof raw === 'string' ? { standard: raw, fast: raw } : (raw ?? {});
  return { standard: money(standard), fast: money(fast) };
}

export const toAdminSettings = (
  { host, port, runs }: NonNullable<RawConfig['admin']>,
  folder: string,
): AdminSettings => ({
  host: host ?? '127.0.0.1',
  port,
  runs: runs === undefined ? null : { secret: toSecret(runs.secret, folder) },
});

/** A secret file is relative to the configuration file: cron starts in another folder than a shell. */
export function toSecret(raw: SecretReference, folder: string): SecretReference {
  return 'file' in raw ? { file: resolvePath(folder, raw.file) } : raw;
}

/** The same for an address that may be in the file itself. */
export function toAddress<Reference extends AddressReference>(raw: Reference, folder: string): Reference {
  return typeof raw === 'object' ? (toSecret(raw, folder) as Reference) : raw;
}

/** Why these: docs/guides/temporal-cloud.md. */
export function toWorkerLimits(raw: NonNullable<RawConfig['worker']>): WorkerLimits {
  const { minimum = 24, memory_percent: memory = 80, processor_percent: processor = 90 } = raw.adaptive_crawls ?? {};
  return {
    slots: { workflows: 40, crawl: 200, submit: 200, track: 200, check: 50, ...raw.slots },
    adaptiveCrawls: { minimum, memory: memory / 100, processor: processor / 100 },
    pollers: raw.pollers ?? 4,
    cachedWorkflows: raw.cached_workflows ?? 300,
  };
}

export function toTemporalServer(raw: NonNullable<RawConfig['temporal']>, folder: string): TemporalServer {
  const toPath = (path: string | undefined) => (path === undefined ? null : resolvePath(folder, path));
  return {
    address: raw.address ?? '',
    namespace: raw.namespace ?? '',
    tls:
      raw.tls === undefined
        ? null
        : {
            ca: toPath(raw.tls.ca),
            cert: toPath(raw.tls.cert),
            key: toPath(raw.tls.key),
            serverName: raw.tls.server_name ?? null,
          },
    apiKey: raw.api_key === undefined ? null : toSecret(raw.api_key, folder),
    encryption:
      raw.encryption === undefined
        ? null
        : {
            key: raw.encryption.key === undefined ? null : toSecret(raw.encryption.key, folder),
            formerKeys: (raw.encryption.former_keys ?? []).map((key) => toSecret(key, folder)),
          },
  };
}

export function toAccount(id: AccountId, raw: RawAccount, folder: string): Account {
  const statusMap = toStatusMap(raw);
  return {
    id,
    baseUrl: raw.base_url.replace(/\/+$/, ''),
    apiKey: toSecret(raw.api_key, folder),
    authentication: raw.authentication ?? 'bearer',
    pricePerUrl: toPrices(raw.price_per_url),
    limits: {
      minute: raw.limits?.requests?.minute ?? LIMITS.requests.minute,
      hour: raw.limits?.requests?.hour ?? LIMITS.requests.hour,
      day: raw.limits?.requests?.day ?? LIMITS.requests.day,
      submissionsPerMinute: raw.limits?.submissions?.minute ?? LIMITS.submissionsPerMinute,
      minuteMs: duration(raw.limits?.minute_length, MINUTE),
    },
    spend: {
      perDay: money(raw.spend?.per_day),
      perMonth: money(raw.spend?.per_month),
      balanceFloor: money(raw.spend?.balance_floor) ?? ZERO,
    },
    tracking: {
      fast: toPollPolicy(raw.tracking?.fast, DEFAULT_POLLING.fast),
      standard: toPollPolicy(raw.tracking?.standard, DEFAULT_POLLING.standard),
    },
    timeouts: {
      connectMs: duration(raw.timeouts?.connect, DEFAULT_TIMEOUTS.connectMs),
      headersMs: duration(raw.timeouts?.answer, DEFAULT_TIMEOUTS.headersMs),
      totalMs: duration(raw.timeouts?.total, DEFAULT_TIMEOUTS.totalMs),
    },
    terminalStates: toTerminalStates(raw, statusMap),
    statusMap,
    fieldNames: raw.field_names ?? {},
    amounts: raw.amounts ?? null,
    reconcile: {
      afterMs: duration(raw.reconcile?.after, DEFAULT_KEY_TRUST_MS),
      confirmMs: duration(raw.reconcile?.confirm_after, DEFAULT_CONFIRM_MS),
      needsList: raw.reconcile?.list !== 'optional',
    },
  };
}

export function toWatch(id: WatchId, raw: RawWatch, folder: string): Watch {
  const sources = [...(raw.sitemaps ?? []), ...(raw.robots === undefined ? [] : [raw.robots])];
  return {
    id,
    account: raw.account as AccountId,
    project: raw.project ?? id.padEnd(2, '-'),
    service: raw.service ?? 'standard',
    schedule: raw.schedule === undefined ? null : { cron: raw.schedule.cron, timezone: raw.schedule.timezone ?? 'UTC' },
    sources: sources.map((source) => absoluteSource(source, folder)),
    hosts: toHosts(raw, sources),
    namedHosts: raw.hosts?.includes('*') === true ? [] : (raw.hosts ?? []),
    include: raw.include ?? [],
    exclude: raw.exclude ?? [],
    hreflang: raw.hreflang ?? false,
    crawl: { respectCrawlDelay: raw.crawl?.respect_crawl_delay ?? false },
    allowPrivateHosts: raw.allow_private_hosts ?? [],
    headers: Object.fromEntries(
      Object.entries(raw.headers ?? {}).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : toSecret(value, folder),
      ]),
    ),
    paused: raw.paused ?? false,
    ping: raw.ping === undefined ? null : toAddress(raw.ping, folder),
    priority: raw.priority ?? DEFAULT_PRIORITY,
    firstRun: raw.first_run ?? 'baseline',
    resubmit: {
      onLastmodChange: raw.resubmit?.on_lastmod_change ?? false,
      notWithinMs: duration(raw.resubmit?.not_within, 0),
    },
    retryFailed: { times: raw.retry_failed?.times ?? 2, afterMs: duration(raw.retry_failed?.after, DAY) },
    guard: {
      maxNew: raw.guard?.max_new ?? null,
      maxNewPercent: raw.guard?.max_new_percent ?? null,
      maxChanged: raw.guard?.max_changed ?? DEFAULT_MAX_CHANGED,
      maxChangedPercent: raw.guard?.max_changed_percent ?? DEFAULT_MAX_CHANGED_PERCENT,
      maxGonePercent: raw.guard?.max_gone_percent ?? null,
    },
    spend: {
      perRun: money(raw.spend?.per_run),
      perDay: money(raw.spend?.per_day),
      perMonth: money(raw.spend?.per_month),
    },
    indexCheck: toIndexCheckPolicy(raw.index_check),
  };
}

/** The folder is relative to the configuration file, as the ledger is. */
export const toReportSettings = (raw: NonNullable<RawConfig['report']>, folder: string): ReportSettings => ({
  cron: raw.cron,
  timezone: raw.timezone ?? 'UTC',
  folder: resolvePath(folder, raw.folder),
  days: raw.days ?? 31,
  keep: raw.keep ?? 30,
  language: raw.language ?? 'en',
});

export const toRetentionSettings = (raw: NonNullable<RawConfig['retention']>, folder: string): RetentionSettings => ({
  ages: {
    runs: duration(raw.runs, 90 * DAY),
    batches: duration(raw.batches, 180 * DAY),
    index_checks: duration(raw.index_checks, 365 * DAY),
  },
  archive: raw.archive === undefined ? null : resolvePath(folder, raw.archive),
  cron: raw.cron ?? '40 3 * * *',
  timezone: raw.timezone ?? 'UTC',
});

export const isAddress = (source: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(source);

export function absoluteSource(source: string, folder: string): string {
  return isAddress(source) || source === '-' ? source : resolvePath(folder, source);
}

/** Without `hosts`, uses the hosts of the sitemaps, so a foreign URL in a sitemap is never bought by accident. */
function toHosts(raw: RawWatch, sources: readonly string[]): readonly string[] | null {
  if (raw.hosts !== undefined) return raw.hosts.includes('*') ? null : raw.hosts;
  const hosts = new Set(sources.filter((source) => URL.canParse(source)).map((source) => new URL(source).host));
  return hosts.size === 0 ? null : [...hosts];
}

function toIndexCheckPolicy(raw: RawWatch['index_check']): IndexCheckPolicy | null {
  if (raw === undefined) return null;
  return {
    afterMs: duration(raw.after, 3 * DAY),
    everyMs: duration(raw.every, 7 * DAY),
    stopWhenFound: raw.stop_when_found ?? true,
    sample: raw.sample === undefined ? 1 : Math.min(1, Number.parseFloat(raw.sample) / 100),
    perDay: money(raw.per_day),
    resubmitAfter: raw.resubmit_after ?? null,
  };
}
