import { sql } from '../../database/sql.ts';
import type { Ledger } from '../open-ledger.ts';

/** How many runs of all watches have planned and wait for what comes of it. Uses runs_open. */
export async function countWaitingRuns({ db }: Ledger): Promise<number> {
  const { runs } = await db.one(sql<{ runs: number }>`
    SELECT count(*) AS runs FROM runs WHERE ended_at IS NULL AND planned_at IS NOT NULL`);
  return runs;
}
