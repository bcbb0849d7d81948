import { ApiError, AuthenticationError, unwrapData } from '../src/api-client/errors.ts';
import { endStops, getHistoryHold, recordStop, recordUnanswered } from '../src/ledger/accounts/stops.ts';
import { holdSpending, releaseHistoryHold, selectLost } from '../src/ledger/jobs/history-hold.ts';
import { watchFailovers } from '../src/ledger/watch-failovers.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import { elapsedBackoffMs } from '../src/submission/backoff.ts';
import { hasPassed } from '../src/submission/clock.ts';
import { describeHistoryHold, type HistoryHold, needsRecovery } from '../src/submission/history-hold.ts';
import type { AccountId, Reference } from '../src/submission/ids.ts';
import { isRetryLater, retryLater } from '../src/temporal-api/retry-later.ts';
import { type AcceptedJob, AcceptedJobs } from './accepted-jobs.ts';
import { type Compared, HistoryComparison, type HistoryScope } from './compare-history.ts';
import type { Deps } from './deps.ts';

/** After this long without spending, the ledger may have been replaced: compare again. */
const SILENCE_MS = 3_600_000;
/**
 * A list that fails for longer holds the account where this process has never read it: the ledger may be a restored copy. A
 * process that has read it goes on: keys and lookups of batches in doubt still protect it.
 */
const GIVE_UP_MS = 600_000;
const LIST_BACKOFF = { firstMs: 2_000, maxMs: 60_000 };

/** What this process knows of an account. */
interface Known {
  /** When the account was last compared, or checked without a need to compare. */
  comparedAt: number | null;
  /** The list was read in this process, of the ledger as it is. */
  wasRead: boolean;
  failingSince: number | null;
  /** One that has begun and is not complete. */
  comparison: HistoryComparison | null;
  /** When its last part was begun. */
  readAt: number;
  /** Its part that is being read now: activities that run at the same time share it. */
  reading: Promise<Compared> | null;
}

/** Nothing is known of the ledger as it is. */
const NOTHING: Known = {
  comparedAt: null,
  wasRead: false,
  failingSince: null,
  comparison: null,
  readAt: 0,
  reading: null,
};

/** Requests of one attempt at a comparison, and the wait after them: jobs that are followed have their polls meanwhile. */
const MOST_REQUESTS = 30;
const PART_WAIT_MS = 15_000;

/** `needsList`: a process that has never read the list may not spend. */
export interface GuardScope extends HistoryScope {
  readonly needsList: boolean;
}

export interface GuardOptions {
  readonly now: () => number;
  /** The list could not be read. */
  readonly warn: (account: AccountId, error: ApiError) => void;
  /** Whether another server has taken over the database since the last call, which may lack the last transactions. */
  readonly hasFailedOver: () => Promise<boolean>;
}

export interface HistoryGuard {
  /**
   * Runs before every spend; `null` when nothing blocks it. Throws an AuthenticationError where the list must be read and the
   * service rejects the key for all requests: a gateway that rejects one of them proves nothing.
   */
  check(scope: GuardScope): Promise<HistoryHold | null>;
  /** The service has accepted this job. Where the ledger lacks it later, an older copy was put in its place. */
  remember(account: AccountId, job: AcceptedJob): void;
  /** The ledger has decided that the job is not of its batch. */
  forget(account: AccountId, job: Reference): void;
}

type Outcome =
  | Extract<Compared, { kind: 'unfinished' }>
  | { readonly kind: 'compared'; readonly hold: HistoryHold | null }
  /** The list has failed for long, or the service refuses it. */
  | { readonly kind: 'unread'; readonly error: ApiError }
  /** A rejected key spends nothing: the request that would spend is rejected too. */
  | { readonly kind: 'key rejected' };

/** What the list is needed for. `to be sure`: it is not waited for, because the ledger is known to lack a job. */
type MustRead = 'no' | 'to spend' | 'to be sure';

/** Remembers, per process, which accounts were compared, and the last jobs of each. */
export function createHistoryGuard({ now, warn, hasFailedOver }: GuardOptions): HistoryGuard {
  const accounts = new Map<AccountId, Known>();
  const accepted = new AcceptedJobs();
  let failovers = 0;

  function getKnown(account: AccountId): Known {
    const known = accounts.get(account) ?? { ...NOTHING };
    accounts.set(account, known);
    return known;
  }

  /** The last jobs of this process that the ledger lacks. */
  const listLost = ({ ledger, account }: HistoryScope): Promise<readonly Reference[]> =>
    selectLost(ledger, account, accepted.list(account, now()));

  /** The next part of the account's comparison. */
  async function readOn(scope: GuardScope, known: Known): Promise<Compared> {
    // After a long pause its first pages are out of date.
    if (known.reading === null && now() - known.readAt >= SILENCE_MS) known.comparison = null;
    known.readAt = now();
    known.comparison ??= new HistoryComparison(scope);
    known.reading ??= known.comparison.readOn(scope, MOST_REQUESTS);
    const { comparison, reading } = known;
    try {
      const compared = await reading;
      if (compared.kind !== 'unfinished' && known.comparison === comparison) known.comparison = null;
      return compared;
    } finally {
      if (known.reading === reading) known.reading = null;
    }
  }

  /** Compares the account. Throws while a list that may be readable soon has not failed for long. */
  async function compare(scope: GuardScope, known: Known, must: MustRead): Promise<Outcome> {
    const before = failovers;
    try {
      const compared = await readOn(scope, known);
      // The comparison was with the ledger before the failover.
      if (failovers !== before) throw retryLater(1_000, 'Postgres has failed over: the newest jobs are compared again');
      known.failingSince = null;
      if (compared.kind === 'unfinished') return compared;
      known.wasRead = true;
      return { kind: 'compared', hold: compared.kind === 'held' ? compared.hold : null };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error instanceof AuthenticationError) {
        if (must === 'no') return { kind: 'key rejected' };
        if (await isKeyRejected(scope)) throw error;
      }
      known.failingSince ??= now();
      const failingMs = now() - known.failingSince;
      if (must !== 'to be sure' && mayPass(error) && failingMs < GIVE_UP_MS) {
        const message = `the service's newest jobs cannot be compared with the ledger yet: ${error.message}`;
        throw retryLater(Math.max(elapsedBackoffMs(failingMs, LIST_BACKOFF), error.retryAfterMs ?? 0), message);
      }
      known.comparison = null;
      return { kind: 'unread', error };
    }
  }

  return {
    async check(scope) {
      const { ledger, account } = scope;
      let held = await getHistoryHold(ledger.db, account);
      // Since the list may be done without, a hold for its sake has no ground: whatever comes next finds none.
      if (held !== null && !needsRecovery(held) && !scope.needsList) {
        held = (await releaseHistoryHold(ledger, account, held)) ? null : await getHistoryHold(ledger.db, account);
      }
      if (held !== null && needsRecovery(held)) return held;
      if (await hasFailedOver()) {
        failovers += 1;
        for (const each of accounts.values()) {
          Object.assign(each, NOTHING);
        }
      }
      const known = getKnown(account);
      const lost = await listLost(scope);
      const isRecent = known.comparedAt !== null && !hasPassed(known.comparedAt, SILENCE_MS, now());
      if (held === null && lost.length === 0 && isRecent) {
        known.comparedAt = now();
        return null;
      }
      const mustRead = scope.needsList && (held !== null || !known.wasRead);
      const compared = await compare(
        { ...scope, lost },
        known,
        lost.length > 0 ? 'to be sure' : mustRead ? 'to spend' : 'no',
      );
      if (compared.kind === 'compared' && compared.hold !== null) return compared.hold;
      // A list may show a job late, or not at all: what this process saw accepted needs no list to prove it.
      const references = lost.length === 0 ? [] : await listLost(scope);
      if (references.length > 0) return hold(scope, { code: 'unknown_jobs', references, more: false });
      if (compared.kind === 'unfinished') {
        const message = `the service's jobs are compared with the ledger before anything is bought: ${compared.read} read so far`;
        throw retryLater(PART_WAIT_MS, message);
      }
      if (compared.kind === 'unread') {
        const { error } = compared;
        if (mustRead && mayPass(error)) return held ?? hold(scope, { code: 'list_unread', why: error.message });
        warn(account, error);
      }
      if (held !== null && !(await releaseHistoryHold(ledger, account, held)))
        return getHistoryHold(ledger.db, account);
      if (compared.kind !== 'key rejected') known.comparedAt = now();
      return null;
    },
    remember: (account, job) => accepted.add(account, job, now()),
    forget: (account, job) => accepted.remove(account, job),
  };
}

/** Whether the same request may succeed later. */
const mayPass = (error: ApiError): boolean => error.policy === 'retry' || error instanceof AuthenticationError;

async function hold({ ledger, account }: HistoryScope, reason: HistoryHold): Promise<HistoryHold> {
  await holdSpending(ledger, account, reason);
  return reason;
}

async function isKeyRejected({ send }: HistoryScope): Promise<boolean> {
  try {
    await send((client) => client.me());
  } catch (error) {
    return error instanceof AuthenticationError;
  }
  return false;
}

/** Why an account may not spend. */
export interface SpendingHold {
  readonly kind: 'suspended' | 'key_rejected';
  readonly reason: string;
}

export interface SpendingGuard extends Pick<HistoryGuard, 'remember' | 'forget'> {
  /** Why nothing may be spent, or null. */
  findHold(account: AccountId): Promise<SpendingHold | null>;
}

/** The guard of a worker's activities, for the accounts' own services. */
export function openSpendingGuard(deps: Deps): SpendingGuard {
  const { ledger, getApi, log, now } = deps;
  const guard = createHistoryGuard({
    now,
    warn: (account, error) =>
      log.warn({ account, err: error }, 'cannot read the list of jobs; spending continues without the comparison'),
    hasFailedOver: watchFailovers(ledger.db),
  });
  /** Accounts that wait for nothing, as the ledger has it. */
  const answered = new Set<AccountId>();
  return {
    async findHold(account) {
      const projects = [...deps.config.watches.values()].filter((watch) => watch.account === account);
      try {
        const found = await guard.check({
          ledger,
          account,
          projects: projects.map(({ project }) => project),
          send: (request) => getApi(account).request('poll', request).then(unwrapData),
          needsList: deps.getAccount(account).reconcile.needsList,
        });
        if (!answered.has(account)) await endStops(ledger.db, account, 'unanswered');
        answered.add(account);
        return found === null ? null : { kind: 'suspended', reason: describeHistoryHold(account, found) };
      } catch (error) {
        const wait = toServiceWait(error);
        if (wait !== null) {
          answered.delete(account);
          await recordUnanswered(ledger, account, wait);
        }
        if (!(error instanceof AuthenticationError)) throw error;
        const reason = { code: 'answer', outcome: 'reject_key', text: error.message } as const;
        await recordStop(ledger.db, account, { kind: 'key', at: now(), reason });
        return { kind: 'key_rejected', reason: error.message };
      }
    },
    remember: guard.remember,
    forget: guard.forget,
  };
}

/** What a failed attempt to compare says of the service; null for what is no wait for it. */
function toServiceWait(error: unknown): Parameters<typeof recordUnanswered>[2] | null {
  if (error instanceof RateLimitedError) return { why: error.message, limited: true, waitMs: error.waitMs };
  if (!isRetryLater(error)) return null;
  const { message, nextRetryDelay } = error;
  return { why: message, limited: false, waitMs: typeof nextRetryDelay === 'number' ? nextRetryDelay : 0 };
}
