import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';

/** How many jobs of an account the service accepted and has not ended; counts to `most` only. Uses batches_followed. */
export async function countJobs(db: Queryable, account: AccountId, most: number): Promise<number> {
  const { jobs } = await db.one(selectJobs(account, most));
  return jobs;
}

export const selectJobs = (account: AccountId, most: number) => sql<{ jobs: number }>`
  SELECT count(*) AS jobs FROM (
    SELECT 1 AS one FROM batches WHERE account_id = ${account} AND state = 'accepted' AND settled_at IS NULL
    LIMIT ${most}) AS open`;
