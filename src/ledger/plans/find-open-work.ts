import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, WatchId } from '../../submission/ids.ts';
import { findWatch } from '../accounts/watches.ts';
import { countDueChecks } from '../index-checks/count-due-checks.ts';

/** Work that a worker or command must continue. */
export type OpenWork =
  /** Planned, in flight or in doubt. */
  | 'batches'
  /** Accepted and not settled, or to be read again: they are polled. */
  | 'jobs'
  | 'index checks'
  /** It waits for money, for a key that works, or for your word. */
  | 'an account'
  /** A run of one of the watches that has not ended: a held one too. */
  | 'a run';

export interface WorkScope {
  readonly watches: readonly {
    readonly id: WatchId;
    readonly account: AccountId;
    /** Null: without index checks. */
    readonly indexCheck: unknown;
  }[];
  readonly now: number;
}

/**
 * What a run must not leave undone, although its own crawl finds nothing new: batches, jobs and index checks of any
 * account, and what its own watches and their accounts wait for. Null when there is nothing.
 */
export async function findOpenWork(db: Queryable, { watches, now }: WorkScope): Promise<OpenWork | null> {
  // Each uses a partial index, which holds what is open and nothing else.
  const has = async (query: ReturnType<typeof sql>) => (await db.get(query)) !== undefined;
  if (await has(sql`SELECT 1 FROM batches WHERE state IN ('planned', 'sending') LIMIT 1`)) return 'batches';
  if (await has(sql`SELECT 1 FROM batches WHERE in_doubt_since IS NOT NULL LIMIT 1`)) return 'batches';
  if (await has(sql`SELECT 1 FROM batches WHERE state = 'accepted' AND settled_at IS NULL LIMIT 1`)) return 'jobs';
  if (await has(sql`SELECT 1 FROM unread_jobs WHERE asked IS NOT NULL LIMIT 1`)) return 'jobs';
  if (await has(sql`SELECT 1 FROM checks WHERE state IN ('planned', 'sending') LIMIT 1`)) return 'index checks';
  for (const account of new Set(watches.map((watch) => watch.account))) {
    const stopped = sql`
      SELECT 1 FROM account_stops
      WHERE account_id = ${account} AND (kind IN ('history', 'key') OR kind = 'refusals' AND until IS NOT NULL)`;
    if (await has(stopped)) return 'an account';
  }
  for (const { id, indexCheck } of watches) {
    const watchId = await findWatch(db, id);
    if (watchId === null) continue;
    if (await has(sql`SELECT 1 FROM runs WHERE watch_id = ${watchId} AND ended_at IS NULL LIMIT 1`)) return 'a run';
    if (indexCheck !== null && (await countDueChecks(db, watchId, now)) > 0) return 'index checks';
  }
  return null;
}

/** Those of the accounts that have batches to send or to look up, or jobs to poll. Uses batches_waiting, batches_followed and unread_jobs_asked. */
export async function listOpenAccounts(db: Queryable, accounts: readonly AccountId[]): Promise<AccountId[]> {
  const open: AccountId[] = [];
  for (const account of accounts) {
    const found = await db.get(sql`
      SELECT 1 FROM ledger_accounts AS a WHERE a.id = ${account} AND (
        EXISTS (SELECT 1 FROM batches AS b WHERE b.account_id = a.id AND b.state IN ('planned', 'sending'))
        OR EXISTS (SELECT 1 FROM batches AS b
          WHERE b.account_id = a.id AND b.state = 'accepted' AND b.settled_at IS NULL)
        OR EXISTS (SELECT 1 FROM unread_jobs AS n WHERE n.account_id = a.id AND n.asked IS NOT NULL))`);
    if (found !== undefined) open.push(account);
  }
  return open;
}
