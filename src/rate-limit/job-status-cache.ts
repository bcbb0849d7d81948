import type { Database } from '../database/database.ts';
import { insertRows, type Row } from '../database/rows.ts';
import { eachText, sql } from '../database/sql.ts';
import type { Reference } from '../submission/ids.ts';

/** What a job looked like from outside. */
export interface JobStatusSeen {
  readonly reference: Reference;
  readonly state: string;
}

export interface CachedJobStatus extends JobStatusSeen {
  /** When the request that showed it was made. */
  readonly at: number;
}

/**
 * What the service last showed of an account's jobs, the same for every process: what one has asked, none asks again.
 * It is a memory, not a record: what a job's state means for money stands in the ledger.
 */
export interface JobStatusCache {
  /** What is known of these jobs; nothing of those that no request showed lately. */
  get(references: readonly Reference[]): Promise<readonly CachedJobStatus[]>;
  record(seen: readonly JobStatusSeen[], at: number): Promise<void>;
  /** Null while another process asks the service: its answer is worth waiting for. Else this one's turn to ask. */
  acquireLease(): Promise<PollLease | null>;
}

export interface PollLease {
  end(): Promise<void>;
}

/** Longer than most requests take. Who takes longer, or died, has somebody else ask beside him: one request too many. */
const LEASE_MS = 15_000;
/** What was seen so long ago answers nobody any more. */
const KEPT_MS = 3_600_000;

const COLUMNS = { account: 'text', reference: 'text', state: 'text', at: 'bigint' } as const;

export function createJobStatusCache(db: Database, account: string, now: () => number): JobStatusCache {
  let forgotten = 0;

  async function forget(time: number): Promise<void> {
    if (time - forgotten < KEPT_MS / 10) return;
    forgotten = time;
    await db.run(sql`DELETE FROM job_sightings WHERE account = ${account} AND at < ${time - KEPT_MS}`);
  }

  return {
    async get(references) {
      const rows = await db.all(sql<CachedJobStatus>`
        SELECT reference, state, at FROM job_sightings
        WHERE account = ${account} AND reference IN (SELECT value FROM ${eachText(references)} AS wanted)`);
      return rows.map((row) => ({ ...row }));
    },

    async record(seen, at) {
      const rows = seen.map(({ reference, state }): Row => [account, reference, state, at]);
      await db.tx((tx) =>
        insertRows(
          tx,
          'job_sightings',
          COLUMNS,
          rows,
          `ON CONFLICT (account, reference) DO UPDATE SET state = excluded.state, at = excluded.at
           WHERE job_sightings.at <= excluded.at`,
        ),
      );
      await forget(at);
    },

    async acquireLease() {
      const time = now();
      const taken = await db.tx((tx) =>
        tx.get(sql<{ turn: number }>`
          INSERT INTO asking_turns (account, turn, until) VALUES (${account}, 1, ${time + LEASE_MS})
          ON CONFLICT (account) DO UPDATE SET turn = asking_turns.turn + 1, until = excluded.until
            WHERE asking_turns.until <= ${time}
          RETURNING turn`),
      );
      if (taken === undefined) return null;
      return {
        async end() {
          await db.run(sql`UPDATE asking_turns SET until = 0 WHERE account = ${account} AND turn = ${taken.turn}`);
        },
      };
    },
  };
}
