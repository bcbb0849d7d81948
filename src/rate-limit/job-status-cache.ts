import type { Database } from '../database/database.ts';
import { insertRows, type Row } from '../database/rows.ts';
import { eachText, sql } from '../database/sql.ts';
import { CLOCK_TOLERANCE_MS, hasPassed } from '../submission/clock.ts';
import type { Reference } from '../submission/ids.ts';

/** A job's state as a response showed it. */
export interface ReportedStatus {
  readonly reference: Reference;
  readonly state: string;
  /** Whether the job's counts say that all its URLs are completed; null where the response showed no counts. */
  readonly allCompleted: boolean | null;
}

export interface CachedJobStatus extends ReportedStatus {
  /** When the request was made. */
  readonly at: number;
}

/**
 * The latest states of an account's jobs, shared by all processes, so that none repeats another's request. An entry or a lease
 * from the future, under a clock that was ahead, counts as none. A cache, not
 * a record: what a state means for money is in the ledger.
 */
export interface JobStatusCache {
  /** The cached states of these jobs, without those that no recent response showed. */
  get(references: readonly Reference[]): Promise<readonly CachedJobStatus[]>;
  record(statuses: readonly ReportedStatus[], at: number): Promise<void>;
  /** A lease to poll until it ends or expires. Null while another process polls: wait for its result. */
  acquireLease(): Promise<PollLease | null>;
}

export interface PollLease {
  end(): Promise<void>;
}

/** Longer than most requests take. After it another process may poll too, at the cost of one more request. */
const LEASE_MS = 15_000;
/** Older entries are useless and are deleted. */
const KEPT_MS = 3_600_000;

const COLUMNS = { account: 'text', reference: 'text', state: 'text', all_completed: 'bigint', at: 'bigint' } as const;

type CachedRow = Omit<CachedJobStatus, 'allCompleted'> & { readonly all_completed: number | null };

export function createJobStatusCache(db: Database, account: string, now: () => number): JobStatusCache {
  let prunedAt = 0;

  async function prune(time: number): Promise<void> {
    if (!hasPassed(prunedAt, KEPT_MS / 10, time)) return;
    prunedAt = time;
    await db.run(
      sql`DELETE FROM job_status_cache WHERE account = ${account} AND (at < ${time - KEPT_MS} OR at > ${time + CLOCK_TOLERANCE_MS})`,
    );
  }

  return {
    async get(references) {
      const rows = await db.all(sql<CachedRow>`
        SELECT reference, state, all_completed, at FROM job_status_cache
        WHERE account = ${account} AND at <= ${now() + CLOCK_TOLERANCE_MS} AND reference IN (SELECT value FROM ${eachText(references)} AS wanted)`);
      return rows.map(({ all_completed: all, ...row }) => ({ ...row, allCompleted: all === null ? null : all === 1 }));
    },

    async record(statuses, at) {
      const rows = statuses.map(
        ({ reference, state, allCompleted }): Row => [
          account,
          reference,
          state,
          allCompleted === null ? null : Number(allCompleted),
          at,
        ],
      );
      await db.tx((tx) =>
        insertRows(
          tx,
          'job_status_cache',
          COLUMNS,
          rows,
          `ON CONFLICT (account, reference) DO UPDATE SET state = excluded.state,
             all_completed = excluded.all_completed, at = excluded.at
           WHERE job_status_cache.at <= excluded.at OR job_status_cache.at > excluded.at + ${CLOCK_TOLERANCE_MS}`,
        ),
      );
      await prune(at);
    },

    async acquireLease() {
      const time = now();
      const taken = await db.tx((tx) =>
        tx.get(sql<{ lease: number }>`
          INSERT INTO poll_leases (account, lease, expires_at) VALUES (${account}, 1, ${time + LEASE_MS})
          ON CONFLICT (account) DO UPDATE SET lease = poll_leases.lease + 1, expires_at = excluded.expires_at
            WHERE poll_leases.expires_at <= ${time}
              OR poll_leases.expires_at > ${time + LEASE_MS + CLOCK_TOLERANCE_MS}
          RETURNING lease`),
      );
      if (taken === undefined) return null;
      return {
        async end() {
          await db.run(
            sql`UPDATE poll_leases SET expires_at = 0 WHERE account = ${account} AND lease = ${taken.lease}`,
          );
        },
      };
    },
  };
}
