import type { Database } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import type { BudgetSettings } from '../../settings.ts';
import { Budgets, type Limiter } from './budgets.ts';

/** A crash of the process forgives at most the requests of so long; a stop forgives none. */
const FLUSH_MS = 200;
/** Keys in memory; the one that was quiet longest is written down and let go first. */
const MAX_KEYS = 10_000;

/** Counts in memory; every key's windows are written down soon after they changed and read back after a restart. */
export function localLimiter(db: Database, settings: BudgetSettings, now: () => number): Limiter {
  const known = new Map<string, Budgets>();
  const changed = new Map<string, Budgets>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    const due = [...changed];
    changed.clear();
    if (due.length === 0) return;
    try {
      await db.tx(async (tx) => {
        for (const [key, budgets] of due) {
          await tx.run(sql`
            INSERT INTO budgets (key_id, windows, updated_at) VALUES (${key}, ${budgets.save()}, ${now()})
            ON CONFLICT (key_id) DO UPDATE SET windows = excluded.windows, updated_at = excluded.updated_at`);
        }
      });
    } catch {
      // The storage is away: the counts stay true in memory and the next change writes them again.
      for (const [key, budgets] of due) if (!changed.has(key)) changed.set(key, budgets);
    }
  }

  async function find(key: string): Promise<Budgets> {
    const row = await db.get(sql<{ windows: string }>`SELECT windows FROM budgets WHERE key_id = ${key}`);
    // Two first requests of a key may both have read: the first to come back made the one that counts.
    const raced = known.get(key);
    if (raced !== undefined) return raced;
    const budgets = row === undefined ? new Budgets(settings) : Budgets.load(settings, row.windows);
    if (known.size >= MAX_KEYS) forgetOne();
    known.set(key, budgets);
    return budgets;
  }

  function forgetOne(): void {
    for (const key of known.keys()) {
      if (changed.has(key)) continue;
      known.delete(key);
      return;
    }
  }

  return {
    async take(key, submission) {
      const budgets = known.get(key) ?? (await find(key));
      const verdict = budgets.take(submission, now());
      if (verdict.allowed) {
        changed.set(key, budgets);
        timer ??= setTimeout(flush, FLUSH_MS).unref();
      }
      return verdict;
    },
    async close() {
      clearTimeout(timer);
      await flush();
    },
  };
}
