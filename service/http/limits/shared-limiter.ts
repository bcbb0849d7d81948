import type { Database } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import type { BudgetSettings } from '../../settings.ts';
import { Budgets, type Limiter } from './budgets.ts';

/**
 * Counts in Postgres: the row of a key is locked while it is judged, and the time is the database's, so the numbers
 * are exact for any number of processes on any number of machines.
 */
export function sharedLimiter(db: Database, settings: BudgetSettings): Limiter {
  const empty = new Budgets(settings).save();
  return {
    take: (key, submission) =>
      db.tx(async (tx) => {
        const locked = sql<{ windows: string; now: number }>`
          SELECT windows, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now
          FROM budgets WHERE key_id = ${key} FOR UPDATE`;
        let row = await tx.get(locked);
        if (row === undefined) {
          await tx.run(sql`
            INSERT INTO budgets (key_id, windows, updated_at) VALUES (${key}, ${empty}, 0)
            ON CONFLICT (key_id) DO NOTHING`);
          row = await tx.get(locked);
        }
        const budgets = Budgets.load(settings, row!.windows);
        const verdict = budgets.take(submission, row!.now);
        if (verdict.allowed) {
          await tx.run(sql`
            UPDATE budgets SET windows = ${budgets.save()}, updated_at = ${row!.now} WHERE key_id = ${key}`);
        }
        return verdict;
      }),
    close: async () => undefined,
  };
}
