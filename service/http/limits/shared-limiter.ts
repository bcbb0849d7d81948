import { type Database, DatabaseUnavailableError } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import { required } from '../../required.ts';
import type { BudgetSettings } from '../../settings.ts';
import { Budgets, type Limiter, type Verdict } from './budgets.ts';

/** Other processes that count the same key make an attempt fail; each failure is a success elsewhere. */
const MAX_ATTEMPTS = 50;

interface Waiting {
  readonly submission: boolean;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

interface BudgetRow {
  readonly windows: string;
  readonly version: number;
  readonly now: number;
}

/**
 * Counts in Postgres, exactly for any number of processes: a key's windows are read, judged with the database's time,
 * and written only if no other process has written since. Waiting requests of one key are decided together, so many
 * of them cost one read, and a denied one costs neither a write nor a lock.
 */
export function sharedLimiter(settings: BudgetSettings): Limiter {
  const empty = new Budgets(settings).save();
  const waiting = new Map<string, Waiting[]>();

  async function judgeAll(key: string, own: Database): Promise<void> {
    const requests = required(waiting.get(key), `the queue of key ${key}`);
    while (requests.length > 0) {
      const batch = [...requests];
      try {
        const verdicts = await judge(key, own, batch);
        batch.forEach(({ resolve }, index) => {
          resolve(required(verdicts[index], `verdict ${index}`));
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      requests.splice(0, batch.length);
    }
    waiting.delete(key);
  }

  async function judge(key: string, own: Database, batch: readonly Waiting[]): Promise<Verdict[]> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const row = await own.get(sql<BudgetRow>`
        SELECT windows, version, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS now
        FROM budgets WHERE key_id = ${key}`);
      if (row === undefined) {
        await own.run(sql`
          INSERT INTO budgets (key_id, windows, updated_at) VALUES (${key}, ${empty}, 0)
          ON CONFLICT (key_id) DO NOTHING`);
        continue;
      }
      const budgets = Budgets.load(settings, row.windows);
      const verdicts = batch.map(({ submission }) => budgets.take(submission, row.now));
      if (!verdicts.some(({ allowed }) => allowed)) return verdicts;
      const { changes } = await own.run(sql`
        UPDATE budgets SET windows = ${budgets.save()}, version = version + 1, updated_at = ${row.now}
        WHERE key_id = ${key} AND version = ${row.version}`);
      if (changes === 1) return verdicts;
    }
    throw new DatabaseUnavailableError('too many concurrent updates of the budgets of one key');
  }

  return {
    take: (key, submission, db) =>
      new Promise((resolve, reject) => {
        const requests = waiting.get(key);
        const request = { submission, resolve, reject };
        if (requests !== undefined) {
          requests.push(request);
          return;
        }
        waiting.set(key, [request]);
        void judgeAll(key, db);
      }),
    close: async () => undefined,
  };
}
