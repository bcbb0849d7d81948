import { findCronProblem } from './cron.ts';
import { parseDuration } from './duration.ts';
import { example, type Fault, guess, write } from './fault.ts';
import { isAddress } from './resolve.ts';
import type { RawAccount, RawConfig, RawWatch } from './schema.ts';
import { checkScope, type ScopeLists } from './scope.ts';
import { findDuplicateStatuses } from './status-map.ts';
import { findNearest } from './suggest.ts';
import { findTimeZoneProblem } from './time-zone.ts';
import type { At, Level, Path } from './yaml-file.ts';

/** Reports a mistake. Its message begins with the path. */
export type Complain = (path: Path, fault: Fault, at?: At, level?: Level) => void;

interface Checked {
  /** Settings with a mistake are absent, and entries of lists with one are null. */
  readonly raw: RawConfig;
  isWrong(path: Path): boolean;
  readonly complain: Complain;
}

/** What a schema cannot say: names that must exist, times, hosts, globs and addresses. */
export function checkReferences(checked: Checked): void {
  const { raw, complain } = checked;
  for (const [id, account] of Object.entries(raw.accounts)) checkAccount(['accounts', id], account, complain);
  checkSchedule(['defaults', 'schedule'], raw.defaults?.schedule, complain);
  for (const [id, watch] of Object.entries(raw.watches)) {
    checkSchedule(['watches', id, 'schedule'], watch.schedule, complain);
    checkAccountName(checked, id, watch);
    checkSources(checked, id, watch);
    checkScope(id, dropWrong(watch), complain);
  }
  checkSchedule(['notify', 'digest'], raw.notify?.digest, complain);
  checkSchedule(['report'], raw.report, complain);
  checkRetention(raw.retention, complain);
  for (const [name, channel] of Object.entries(raw.notify?.channels ?? {})) checkChannel(checked, name, channel);
  checkTemporal(checked);
  checkLedger(raw.ledger?.url, complain);
}

function checkAccount(path: Path, account: RawAccount, complain: Complain): void {
  for (const { path: inner, message } of findDuplicateStatuses(account.status_map ?? {}))
    complain([...path, 'status_map', ...inner], { says: message });
  const { base_url: address } = account;
  if (address !== undefined && !URL.canParse(address))
    complain([...path, 'base_url'], noAddress(address, 'https://indexing.example/api/v1'));
}

const noAddress = (value: string, form: string): Fault => ({
  says: `"${value}" is not an address`,
  proposals: [example([form])],
});

/** Details of the last days are what explains a failure. */
function checkRetention(retention: RawConfig['retention'], complain: Complain): void {
  checkSchedule(['retention'], retention, complain);
  for (const key of ['runs', 'batches', 'index_checks'] as const) {
    const age = retention?.[key];
    if (age !== undefined && (parseDuration(age) ?? 0) < LEAST_AGE_MS)
      complain(['retention', key], {
        says: `"${age}" is too short`,
        proposals: [write(['7d'], { after: ' or more' })],
      });
  }
}

const LEAST_AGE_MS = 7 * 86_400_000;

interface RawSchedule {
  readonly cron?: string;
  readonly timezone?: string;
}

function checkSchedule(path: Path, schedule: RawSchedule | undefined, complain: Complain): void {
  const cron = schedule?.cron === undefined ? null : findCronProblem(schedule.cron);
  if (cron !== null) complain([...path, 'cron'], cron);
  const zone = schedule?.timezone === undefined ? null : findTimeZoneProblem(schedule.timezone);
  if (zone !== null) complain([...path, 'timezone'], zone);
}

/** A channel has one form: of two, nobody knows which one gets the messages. */
function checkChannel({ isWrong, complain }: Checked, name: string, channel: object): void {
  const path = ['notify', 'channels', name];
  const forms = Object.keys(channel);
  if (forms.length === 0 && !isWrong(path)) complain(path, NO_FORM, 'key');
  if (forms.length > 1) complain(path, { says: `has ${forms.join(' and ')}; write a channel for each` }, 'key');
}

const NO_FORM: Fault = {
  says: 'has no form: webhook, slack, teams or email',
  proposals: [example([{ slack: { url: { env: 'COURIER_HOOK_URL' } } }])],
};

function checkAccountName({ raw, isWrong, complain }: Checked, id: string, { account }: RawWatch): void {
  const known = Object.keys(raw.accounts);
  if (account === undefined || known.length === 0 || known.includes(account) || isWrong(['accounts', account])) return;
  complain(['watches', id, 'account'], {
    says: `no account is named "${account}"`,
    proposals: [guess(findNearest(account, known))],
    otherwise: `; the accounts are: ${known.join(', ')}`,
  });
}

function checkSources({ raw, isWrong, complain }: Checked, id: string, { sitemaps, robots }: RawWatch): void {
  const path = ['watches', id];
  const misspelt = ['sitemaps', 'robots'].some((key) => isWrong([...path, key]));
  const unknown = Object.keys(raw.watches[id] ?? {}).length === 0;
  if (sitemaps === undefined && robots === undefined) {
    if (!misspelt && !unknown) complain([...path, 'sitemaps'], NO_SOURCE, 'key');
    return;
  }
  for (const [at, source] of (sitemaps ?? []).entries()) {
    const problem = source === null ? null : findSourceProblem(source);
    if (problem !== null) complain([...path, 'sitemaps', String(at)], problem);
  }
  if (robots !== undefined && !URL.canParse(robots))
    complain([...path, 'robots'], noAddress(robots, 'https://shop.example/robots.txt'));
}

const NO_SOURCE: Fault = {
  says: 'the watch has neither "sitemaps" nor "robots"',
  proposals: [example([['https://shop.example/sitemap.xml']], 'sitemaps: ')],
};

function findSourceProblem(source: string): Fault | null {
  if (source === '-') return { says: '"-" is standard input, which a run does not have; write an address or a file' };
  if (!isAddress(source) || /^file:/i.test(source)) return null;
  if (!/^https?:/i.test(source))
    return { says: `"${source}": only http and https are read; write an address that begins with https://` };
  return URL.canParse(source) ? null : noAddress(source, 'https://shop.example/sitemap.xml');
}

/** The scope without entries that the schema has rejected. Their places stay, for the line of the others. */
function dropWrong({ hosts, include, exclude, allow_private_hosts }: RawWatch): ScopeLists {
  const keep = (list: readonly (string | null)[] | undefined) => (list?.includes(null) === true ? undefined : list);
  return {
    hosts: keep(hosts),
    include: keep(include),
    exclude: keep(exclude),
    allow_private_hosts: keep(allow_private_hosts),
  } as ScopeLists;
}

function checkTemporal({ raw: { temporal = {} }, isWrong, complain }: Checked): void {
  checkTemporalAddress(temporal.address, complain);
  const { address = '', tls } = temporal;
  for (const [one, other] of [
    ['cert', 'key'],
    ['key', 'cert'],
  ] as const) {
    const path = ['temporal', 'tls', one];
    if (tls?.[one] !== undefined && tls[other] === undefined && !isWrong(['temporal', 'tls', other]))
      complain(path, { says: `a client certificate and its key belong together; write ${other} too` });
  }
  if (address !== '' || isWrong(['temporal', 'address'])) return;
  for (const key of ['tls', 'api_key'] as const)
    if (temporal[key] !== undefined)
      complain(
        ['temporal', key],
        { says: 'credentials belong to one server; write its address in temporal.address' },
        'key',
      );
}

function checkTemporalAddress(address: string | undefined, complain: Complain): void {
  const port = Number(/^(?:\[[0-9a-f:]+\]|[^\s:/@]+):(\d{1,5})$/i.exec(address ?? '')?.[1] ?? 0);
  if (address === undefined || address === '' || (port > 0 && port < 65_536)) return;
  const host = URL.canParse(address) && /\/\//.test(address) ? new URL(address) : null;
  const instead =
    host !== null
      ? `${host.hostname}:${host.port === '' ? 7233 : host.port}`
      : /^[^\s:/@]+$/.test(address)
        ? `${address}:7233`
        : null;
  complain(['temporal', 'address'], {
    says: `"${address}" is not host:port`,
    proposals: [write(instead === null ? [] : [instead]), example(['temporal.internal:7233'])],
  });
}

/** What stands before, in and behind the hosts of `postgres://user@a:5432,b:5432/name`. */
const HOSTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

function checkLedger(url: string | undefined, complain: Complain): void {
  if (url === undefined || !/^postgres/.test(url)) return;
  const [, before = '', hosts = url, after = ''] = HOSTS.exec(url) ?? [];
  const isOne = (host: string, _: number, { length }: readonly string[]) =>
    (host !== '' || length === 1) && URL.canParse(before + host + after);
  if (!hosts.split(',').every(isOne))
    complain(['ledger', 'url'], {
      says: 'this is not the address of a database',
      proposals: [write(['postgres://USER@HOST/NAME'])],
    });
}
