import type { Database, Queryable } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open.ts';
import type { ApiAnswer } from '../submission/answer.ts';
import { rateLimitWait } from '../submission/refusal.ts';
import {
  type ExternalUsage,
  type ExternalUsageByWindow,
  getExternalUsage,
  type HeaderUsage,
  limitsInForce,
  parseExternalUsage,
  readHeaderUsage,
} from './external-usage.ts';
import { createJobStatusCache, type JobStatusCache } from './job-status-cache.ts';
import type { Lane, RateLimits, WindowName } from './limits.ts';
import { RATE_LIMIT_MIGRATIONS } from './migrations.ts';
import { computeWait, type Denied, denied, KIND, listRules } from './rules.ts';
import {
  begin,
  closeLanes,
  complete,
  countSince,
  expireInFlight,
  getInFlight,
  type KeyRow,
  listTimes,
  lockKey,
  record,
  type Scope,
  writeExternalUsage,
} from './store.ts';

/** Permission for one request. Commit it when the response arrived or when none will, or cancel it. */
export interface Permit {
  readonly kind: 'permit';
  readonly id: number;
  readonly lane: Lane;
}

/** The parts of an `ApiAnswer` that correct the budget. */
export type ResponseUsage = Pick<ApiAnswer, 'status' | 'retryAfterMs' | 'budgets'>;

/** No request is allowed now. Nothing was sent; the next slot is free after `waitMs`. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError';
  readonly lane: Lane;
  readonly waitMs: number;

  constructor(lane: Lane, { why, waitMs }: Denied) {
    super(`${why}; nothing was sent. The next ${lane} is allowed in ${Math.ceil(waitMs / 1_000)} s`);
    this.lane = lane;
    this.waitMs = waitMs;
  }
}

/** The request budget of one API key, shared by every process that opens it (docs/explanation/rate-limits.md). */
export interface RateLimiter {
  /** A permit for one request in all windows at once, or how long to wait. */
  acquire(lane: Lane): Promise<Permit | Denied>;
  /** The request is done. The budget that its response reports corrects ours; a 429 closes the lane until its Retry-After. */
  commit(permit: Permit, response?: ResponseUsage): Promise<void>;
  /** No request was made: returns the permit as if it had never been acquired. */
  cancel(permit: Permit): Promise<void>;
  /** Acquires, sends and commits one request. Throws a RateLimitedError instead of sending. */
  request<Data>(lane: Lane, send: () => Promise<ApiAnswer<Data>>): Promise<ApiAnswer<Data>>;
  /** Denies the lane until then. */
  close(lane: Lane, until: number): Promise<void>;
  /** Remaining requests, for a plan. */
  getRemaining(): Promise<Readonly<Record<WindowName | 'submissions', number>>>;
}

export interface RateLimitStore {
  /** `key` identifies the API key without containing it, for example by the account's id. */
  getLimiter(key: string, limits: RateLimits): RateLimiter;
  /** The job states that the account's requests showed. */
  getJobStatusCache(account: string): JobStatusCache;
  close(): Promise<void>;
}

export interface RateLimitSettings {
  readonly now?: () => number;
  /** A request without a commit counts as answered after this long: its process died. */
  readonly requestTimeoutMs?: number;
}

/**
 * Where a ledger's budgets are stored: in the same Postgres, or in a SQLite file beside the ledger's. A file of its own,
 * because a run that writes a million URLs would block every request; and flushed less often, because what a power cut
 * loses is older than the minute when the machine is up again.
 */
export function getRateLimitUrl(ledgerUrl: string): string {
  if (!ledgerUrl.startsWith('sqlite:') || ledgerUrl === 'sqlite::memory:') return ledgerUrl;
  return `${ledgerUrl.replace(/\.db$/, '')}.rate-limits.db`;
}

export async function openRateLimits(ledgerUrl: string, settings: RateLimitSettings = {}): Promise<RateLimitStore> {
  const db = openDatabase(getRateLimitUrl(ledgerUrl), { synchronous: 'NORMAL', cacheMiB: 4 });
  try {
    return await rateLimitsOver(db, settings);
  } catch (error) {
    await db.close();
    throw error;
  }
}

/**
 * The same beside an open ledger. On Postgres they share its connections, and `close` leaves them open: a process needs
 * half as many.
 */
export async function openRateLimitsBeside(
  ledger: { readonly db: Database },
  ledgerUrl: string,
  settings: RateLimitSettings = {},
): Promise<RateLimitStore> {
  if (ledger.db.dialect === 'sqlite') return openRateLimits(ledgerUrl, settings);
  return { ...(await rateLimitsOver(ledger.db, settings)), close: async () => undefined };
}

/** The same for a database that is already open. */
export async function rateLimitsOver(db: Database, settings: RateLimitSettings = {}): Promise<RateLimitStore> {
  const { now = Date.now } = settings;
  await migrate(db, 'rate-limit', RATE_LIMIT_MIGRATIONS, now());
  return {
    getLimiter: (key, limits) => createLimiter(db, key, limits, settings),
    getJobStatusCache: (account) => createJobStatusCache(db, account, now),
    close: () => db.close(),
  };
}

/** Longer than any request of the client can take. */
const REQUEST_TIMEOUT_MS = 120_000;

function createLimiter(db: Database, key: string, limits: RateLimits, settings: RateLimitSettings): RateLimiter {
  const { now = Date.now, requestTimeoutMs = REQUEST_TIMEOUT_MS } = settings;
  const toScope = (tx: Queryable): Scope => ({ tx, key, limits, time: now(), requestTimeoutMs: requestTimeoutMs });
  const locked = <T>(work: (scope: Scope, row: KeyRow) => Promise<T>): Promise<T> =>
    db.tx(async (tx) => {
      const scope = toScope(tx);
      return work(scope, await lockKey(scope));
    });

  const acquire = (lane: Lane): Promise<Permit | Denied> =>
    locked(async (scope, found) => {
      const { time } = scope;
      const closed = found[`${lane}_closed`];
      if (closed > time) return denied(closed - time, `the service asked to pause the ${lane} lane`);
      const row = await expireInFlight(scope, found);
      const inFlight = await getInFlight(scope);
      const others = parseExternalUsage(row.external_usage);
      const rules = listRules(lane, limitsInForce(limits, others), row, inFlight, others, time);
      const times = await listTimes(scope, rules);
      const waits = rules.flatMap((rule) => computeWait(rule, times.get(rule), inFlight, others, time) ?? []);
      const longest = waits.toSorted((a, b) => b.waitMs - a.waitMs)[0];
      return longest ?? { kind: 'permit', id: await begin(scope, lane), lane };
    });

  const commit = ({ id, lane }: Permit, response?: ResponseUsage): Promise<void> =>
    locked(async (scope, found) => {
      const row = (await complete(scope, id)) ? await record(scope, found, lane === 'submission') : found;
      if (response === undefined) return;
      const reported = readHeaderUsage(response.budgets, limits);
      if (reported.length > 0) await correct(scope, row, reported, isSuccess(response));
      if (response.status === 429) await closeLanes(scope, lanesClosedBy(lane), scope.time + rateLimitWait(response));
    });

  return {
    acquire,
    commit,
    cancel: ({ id }) =>
      locked(async (scope) => {
        await complete(scope, id);
      }),
    async request(lane, send) {
      const permit = await acquire(lane);
      if (permit.kind === 'wait') throw new RateLimitedError(lane, permit);
      let answer: Awaited<ReturnType<typeof send>> | undefined;
      try {
        answer = await send();
        return answer;
      } finally {
        await commit(permit, answer);
      }
    },
    close: (lane, until) => locked((scope) => closeLanes(scope, [lane], until)),
    getRemaining: () =>
      locked(async (scope, row) => {
        const inFlight = await getInFlight(scope);
        const others = parseExternalUsage(row.external_usage);
        const inForce = limitsInForce(limits, others);
        const computeRemaining = async (name: WindowName | 'submissions') => {
          const { limit, lengthMs } = inForce[name];
          const kind = name === 'submissions' ? 'submissions' : 'requests';
          const used = await countSince(scope, KIND_OF[kind], row[kind], limit, scope.time - lengthMs);
          return Math.max(0, limit - used - inFlight[kind] - getExternalUsage(others, name, scope.time));
        };
        return {
          minute: await computeRemaining('minute'),
          hour: await computeRemaining('hour'),
          day: await computeRemaining('day'),
          submissions: await computeRemaining('submissions'),
        };
      }),
  };
}

/**
 * Applies what headers report as remaining, where it is less than our count, and the service's own limit, where it is
 * lower. Takes the limit only from a success: an error may come from a gateway, and its limit would block the response
 * that corrects it.
 */
async function correct(scope: Scope, row: KeyRow, reported: readonly HeaderUsage[], trusted: boolean): Promise<void> {
  const { limits, time } = scope;
  const before = parseExternalUsage(row.external_usage);
  const after: ExternalUsageByWindow = { ...before };
  const inFlight = await getInFlight(scope);
  for (const { window, remaining, limit: named, resetMs } of reported) {
    const { limit: configured, lengthMs } = limits[window];
    const known = before[window]?.limit;
    const service = trusted && named !== null && named > 0 ? named : (known ?? configured);
    const limit = Math.min(configured, service);
    const used = Math.max(0, limit - remaining);
    const kind = window === 'submissions' ? 'submissions' : 'requests';
    const answered = await countSince(scope, KIND_OF[kind], row[kind], used, time - lengthMs);
    // The service may already count our requests in flight: they are not external usage.
    const count = Math.max(0, used - answered - inFlight[kind]);
    const lower: Pick<ExternalUsage, 'limit'> = limit < configured ? { limit } : {};
    if (count === 0 && lower.limit === undefined) delete after[window];
    else after[window] = { count, until: count === 0 ? 0 : time + (resetMs || lengthMs), ...lower };
    // A service may count long windows in slices and free them later than we do, with no response in between to say so.
    if (remaining === 0 && resetMs !== null && (window === 'hour' || window === 'day')) {
      await closeLanes(scope, ALL_LANES, time + Math.min(resetMs, lengthMs));
    }
  }
  const text = JSON.stringify(after);
  if (text !== row.external_usage) await writeExternalUsage(scope, text);
}

const isSuccess = ({ status }: ResponseUsage): boolean => status !== null && status >= 200 && status < 300;

const KIND_OF = { requests: KIND.all, submissions: KIND.submissions } as const;

const ALL_LANES: readonly Lane[] = ['submission', 'poll', 'check'];

/** A 429 for a poll means the key's general limit, which closes all lanes; other lanes may have a limit of their own. */
const lanesClosedBy = (lane: Lane): readonly Lane[] => (lane === 'poll' ? ALL_LANES : [lane]);
