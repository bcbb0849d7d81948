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

/** Permission for one request. Settle it when its answer is there, or when there will be none. */
export interface Permit {
  readonly kind: 'ticket';
  readonly id: number;
  readonly lane: Lane;
}

/** What an answer tells the budget: every `ApiAnswer` does. */
export type ResponseUsage = Pick<ApiAnswer, 'status' | 'retryAfterMs' | 'budgets'>;

/** No request is allowed now. Nothing was sent; it is one's turn after `waitMs`. */
export class RateLimitedError extends Error {
  override readonly name = 'RateLimitedError';
  readonly lane: Lane;
  readonly waitMs: number;

  constructor(lane: Lane, { why, waitMs }: Denied) {
    super(`${why}: the next ${lane} may go in ${Math.ceil(waitMs / 1_000)} s; nothing was sent`);
    this.lane = lane;
    this.waitMs = waitMs;
  }
}

/** The request budget of one API key, the same for every process that opens it (docs/explanation/rate-limits.md). */
export interface RateLimiter {
  /** One request's permission in all windows at once, or how long to wait. */
  acquire(lane: Lane): Promise<Permit | Denied>;
  /** The request is over. What its answer says of the budget corrects ours; a 429 closes the lane. */
  commit(ticket: Permit, seen?: ResponseUsage): Promise<void>;
  /** No request was made: the permission is given back, as if it had never been taken. */
  cancel(ticket: Permit): Promise<void>;
  /** Makes a request inside the budget: take, send, settle. Throws a RateLimitedError instead of sending. */
  request<Data>(lane: Lane, send: () => Promise<ApiAnswer<Data>>): Promise<ApiAnswer<Data>>;
  /** Nothing of the lane goes before then. */
  close(lane: Lane, until: number): Promise<void>;
  /** Requests left now, for a plan. */
  getRemaining(): Promise<Readonly<Record<WindowName | 'submissions', number>>>;
}

export interface RateLimitStore {
  /** `key` names the API key without being it, for example the account's id. */
  getLimiter(key: string, limits: RateLimits): RateLimiter;
  /** What requests of the account showed of its jobs. */
  getJobStatusCache(account: string): JobStatusCache;
  close(): Promise<void>;
}

export interface RateLimitSettings {
  readonly now?: () => number;
  /** A request that was never settled is taken for answered after so long: its process died. */
  readonly requestTimeoutMs?: number;
}

/**
 * Where the budgets of a ledger are kept: in the same Postgres, or in a SQLite file beside the ledger's. Not inside it,
 * because a run that writes a million URLs would hold every request up; and flushed less often, because what a power cut
 * takes away is older than the minute when the machine is up again.
 */
export function getRateLimitUrl(ledgerUrl: string): string {
  if (!ledgerUrl.startsWith('sqlite:') || ledgerUrl === 'sqlite::memory:') return ledgerUrl;
  return `${ledgerUrl.replace(/\.db$/, '')}.budget.db`;
}

export async function openRateLimits(ledgerUrl: string, settings: RateLimitSettings = {}): Promise<RateLimitStore> {
  const { now = Date.now } = settings;
  const db = openDatabase(getRateLimitUrl(ledgerUrl), { synchronous: 'NORMAL', cacheMiB: 4 });
  await migrate(db, 'budget', RATE_LIMIT_MIGRATIONS, now());
  return {
    getLimiter: (key, limits) => createLimiter(db, key, limits, settings),
    getJobStatusCache: (account) => createJobStatusCache(db, account, now),
    close: () => db.close(),
  };
}

/** Longer than any request of the client may take. */
const REQUEST_TIMEOUT_MS = 120_000;

function createLimiter(db: Database, key: string, limits: RateLimits, settings: RateLimitSettings): RateLimiter {
  const { now = Date.now, requestTimeoutMs = REQUEST_TIMEOUT_MS } = settings;
  const scopeOf = (tx: Queryable): Scope => ({ tx, key, limits, time: now(), requestTimeoutMs: requestTimeoutMs });
  const inTurn = <T>(work: (scope: Scope, row: KeyRow) => Promise<T>): Promise<T> =>
    db.tx(async (tx) => {
      const scope = scopeOf(tx);
      return work(scope, await lockKey(scope));
    });

  const take = (lane: Lane): Promise<Permit | Denied> =>
    inTurn(async (scope, found) => {
      const { time } = scope;
      const closed = found[`${lane}_closed`];
      if (closed > time) return denied(closed - time, `the service asked to wait with the ${lane} lane`);
      const row = await expireInFlight(scope, found);
      const inFlight = await getInFlight(scope);
      const others = parseExternalUsage(row.external_usage);
      const rules = listRules(lane, limitsInForce(limits, others), row, inFlight, others, time);
      const times = await listTimes(scope, rules);
      const waits = rules.flatMap((rule) => computeWait(rule, times.get(rule), inFlight, others, time) ?? []);
      const longest = waits.toSorted((a, b) => b.waitMs - a.waitMs)[0];
      return longest ?? { kind: 'ticket', id: await begin(scope, lane), lane };
    });

  const settle = ({ id, lane }: Permit, seen?: ResponseUsage): Promise<void> =>
    inTurn(async (scope, found) => {
      const row = (await complete(scope, id)) ? await record(scope, found, lane === 'submission') : found;
      if (seen === undefined) return;
      const reported = readHeaderUsage(seen.budgets, limits);
      if (reported.length > 0) await correct(scope, row, reported, isSuccess(seen));
      if (seen.status === 429) await closeLanes(scope, lanesClosedBy(lane), scope.time + rateLimitWait(seen));
    });

  return {
    acquire: take,
    commit: settle,
    cancel: ({ id }) =>
      inTurn(async (scope) => {
        await complete(scope, id);
      }),
    async request(lane, send) {
      const ticket = await take(lane);
      if (ticket.kind === 'wait') throw new RateLimitedError(lane, ticket);
      let answer: Awaited<ReturnType<typeof send>> | undefined;
      try {
        answer = await send();
        return answer;
      } finally {
        await settle(ticket, answer);
      }
    },
    close: (lane, until) => inTurn((scope) => closeLanes(scope, [lane], until)),
    getRemaining: () =>
      inTurn(async (scope, row) => {
        const inFlight = await getInFlight(scope);
        const others = parseExternalUsage(row.external_usage);
        const inForce = limitsInForce(limits, others);
        const leftOf = async (name: WindowName | 'submissions') => {
          const { limit, lengthMs } = inForce[name];
          const kind = name === 'submissions' ? 'submissions' : 'requests';
          const used = await countSince(scope, KIND_OF[kind], row[kind], limit, scope.time - lengthMs);
          return Math.max(0, limit - used - inFlight[kind] - getExternalUsage(others, name, scope.time));
        };
        return {
          minute: await leftOf('minute'),
          hour: await leftOf('hour'),
          day: await leftOf('day'),
          submissions: await leftOf('submissions'),
        };
      }),
  };
}

/**
 * Takes over what headers say is left, where it is less than we think, and the service's own limit, where it is lower.
 * The limit only from a success: an error may be a gateway's, and its limit would hold back the answer that corrects it.
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
    // Our own requests under way may be in the service's count already: they are not external usage.
    const count = Math.max(0, used - answered - inFlight[kind]);
    const lower: Pick<ExternalUsage, 'limit'> = limit < configured ? { limit } : {};
    if (count === 0 && lower.limit === undefined) delete after[window];
    else after[window] = { count, until: count === 0 ? 0 : time + (resetMs || lengthMs), ...lower };
    // A service may count long windows in pieces and free them later than we do, with no answer in between to say so.
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

/** A poll is refused for the key's general limit, which holds for all; other lanes may have a limit of their own. */
const lanesClosedBy = (lane: Lane): readonly Lane[] => (lane === 'poll' ? ALL_LANES : [lane]);
