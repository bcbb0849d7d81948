import { readFileSync } from 'node:fs';
import { dirname, resolve as resolvePath } from 'node:path';
import { LIMITS } from '../../contract/limits.ts';
import { type Micros, parseTry, ZERO } from '../../contract/money.ts';
import type { ServiceLevel } from '../../contract/states.ts';
import type { IndexCheckPolicy } from '../submission/check-schedule.ts';
import { DEFAULT_MAX_CHANGED, DEFAULT_MAX_CHANGED_PERCENT } from '../submission/guard.ts';
import type { AccountId, WatchId } from '../submission/ids.ts';
import { DEFAULT_POLLING, type PollPolicy } from '../submission/poll-schedule.ts';
import { DEFAULT_CONFIRM_MS, DEFAULT_KEY_TRUST_MS } from '../submission/reconcile.ts';
import type { Account, Config, Watch } from './config.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { findCronProblem } from './cron.ts';
import { parseDuration } from './duration.ts';
import { parseConfig } from './parse.ts';
import type { RawAccount, RawConfig, RawWatch, SecretReference } from './schema.ts';
import { checkScope } from './scope.ts';
import { findDuplicateStatuses, toStatusMap, toTerminalStates } from './status-map.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** The service charges and stores 5,000 URLs before a response begins. */
const DEFAULT_TIMEOUTS = { connectMs: 10_000, headersMs: 60_000, totalMs: 90_000 };

/** Reads and validates a configuration file. Throws ConfigError (exit code 2); does not read secrets yet. */
export function loadConfig(file: string): Config {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? 'this file does not exist. Create it, or pass yours with --config'
        : (error as Error).message;
    throw new ConfigError(file, [{ path: '', line: 1, column: 1, message: reason }]);
  }
  return readConfig(text, file);
}

/** Parses a configuration from text; relative paths start at the folder of `file`. */
export function readConfig(text: string, file: string): Config {
  const located = parseConfig(text, file);
  const problems: ConfigProblem[] = [];
  const folder = dirname(resolvePath(file));
  const { raw } = located;
  const complain = (path: readonly string[], message: string) => {
    const problem = { path: path.join('.'), ...located.locate(path), message };
    // A setting in "defaults" is checked with each watch.
    if (!problems.some((known) => known.path === problem.path && known.message === message)) problems.push(problem);
  };
  const accounts = new Map(
    Object.entries(raw.accounts).map(([id, account]) => {
      for (const { path, message } of findDuplicateStatuses(account.status_map ?? {})) {
        const full = ['accounts', id, 'status_map', ...path];
        complain(full, `${full.join('.')}: ${message}`);
      }
      return [id as AccountId, toAccount(id as AccountId, account, folder)];
    }),
  );
  const watches = new Map(
    Object.entries(raw.watches).map(([id, watch]) => {
      const merged = { ...raw.defaults, ...watch };
      checkWatch(id, merged, raw, complain);
      checkScope(id, merged, complain);
      return [id as WatchId, toWatch(id as WatchId, merged, folder)];
    }),
  );
  if (problems.length > 0) throw new ConfigError(file, problems);
  return {
    accounts,
    watches,
    temporal: { address: raw.temporal?.address ?? '', namespace: raw.temporal?.namespace ?? '' },
    ledgerUrl: ledgerUrl(raw.ledger?.url ?? 'sqlite:.courier/ledger.db', folder),
  };
}

/** A relative SQLite path is relative to the configuration file, so that cron and a shell open the same ledger. */
function ledgerUrl(url: string, folder: string): string {
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : null;
  return path === null || path === ':memory:' ? url : `sqlite:${resolvePath(folder, path)}`;
}

/** Where a setting of a watch is written: in the watch itself, else in "defaults". */
function findSetting(id: string, key: keyof RawWatch, { watches, defaults }: RawConfig): readonly string[] {
  const inherited = watches[id]?.[key] === undefined && defaults?.[key as keyof typeof defaults] !== undefined;
  return inherited ? ['defaults', key] : ['watches', id, key];
}

function checkWatch(
  id: string,
  watch: RawWatch,
  raw: RawConfig,
  complain: (path: readonly string[], message: string) => void,
): void {
  if (raw.accounts[watch.account] === undefined) {
    complain(
      ['watches', id, 'account'],
      `watches.${id}.account: no account "${watch.account}"; the accounts are: ${Object.keys(raw.accounts).join(', ')}`,
    );
  }
  if (watch.sitemaps === undefined && watch.robots === undefined) {
    complain(['watches', id], `watches.${id}: set "sitemaps" or "robots"; without them there is nothing to watch`);
  }
  const cron = watch.schedule?.cron;
  const cronProblem = cron === undefined ? null : findCronProblem(cron);
  if (cronProblem !== null) {
    const path = [...findSetting(id, 'schedule', raw), 'cron'];
    complain(path, `${path.join('.')}: ${cronProblem}`);
  }
  const zone = watch.schedule?.timezone;
  if (zone !== undefined && !isTimeZone(zone)) {
    const path = [...findSetting(id, 'schedule', raw), 'timezone'];
    complain(path, `${path.join('.')}: "${zone}" is not a time zone; write one such as Europe/Istanbul`);
  }
}

/** Whether it is an IANA time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const money = (text: string | undefined): Micros | null => (text === undefined ? null : parseTry(text));
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

/** A secret file is relative to the configuration file: cron starts in another folder than a shell. */
function toSecret(raw: SecretReference, folder: string): SecretReference {
  return 'file' in raw ? { file: resolvePath(folder, raw.file) } : raw;
}

function toAccount(id: AccountId, raw: RawAccount, folder: string): Account {
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
    reconcile: {
      afterMs: duration(raw.reconcile?.after, DEFAULT_KEY_TRUST_MS),
      confirmMs: duration(raw.reconcile?.confirm_after, DEFAULT_CONFIRM_MS),
    },
  };
}

function toWatch(id: WatchId, raw: RawWatch, folder: string): Watch {
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
    allowPrivateHosts: raw.allow_private_hosts ?? [],
    headers: Object.fromEntries(
      Object.entries(raw.headers ?? {}).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : toSecret(value, folder),
      ]),
    ),
    paused: raw.paused ?? false,
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

const isAddress = (source: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(source);

function absoluteSource(source: string, folder: string): string {
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
