import type { Database } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import type { BudgetSettings } from '../../settings.ts';
import { Budgets, type Limiter } from './budgets.ts';

/** A crash of the process forgives at most the requests of so long; a stop forgives none. */
const FLUSH_MS = 200;
/** Keys in memory; the least recently used one that is written down is let go first. */
const MAX_KEYS = 10_000;

/** Counts in memory; every key's windows are written down soon after they changed and read back after a restart. */
export function localLimiter(
  db: Database,
  settings: BudgetSettings,
  now: () => number,
  onError: (error: unknown) => void,
  maxKeys = MAX_KEYS,
): Limiter {
  /** In the order of their last use. */
  const known = new Map<string, Budgets>();
  const changed = new Map<string, Budgets>();
  /** Being written: what the database holds of them is old. */
  let flushing = new Map<string, Budgets>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    timer = undefined;
    flushing = new Map(changed);
    changed.clear();
    if (flushing.size === 0) return;
    try {
      await db.tx(async (tx) => {
        for (const [key, budgets] of flushing) {
          await tx.run(sql`
            INSERT INTO budgets (key_id, windows, updated_at) VALUES (${key}, ${budgets.save()}, ${now()})
            ON CONFLICT (key_id) DO UPDATE SET windows = excluded.windows, updated_at = excluded.updated_at`);
        }
      });
    } catch (error) {
      // The counts stay true in memory, and the next change writes them again.
      for (const [key, budgets] of flushing) changed.set(key, budgets);
      onError(error);
    }
    flushing = new Map();
  }

  async function find(key: string): Promise<Budgets> {
    const row = await db.get(sql<{ windows: string }>`SELECT windows FROM budgets WHERE key_id = ${key}`);
    // Two first requests of a key may both have read: the first to come back made the one that counts.
    const raced = known.get(key);
    if (raced !== undefined) return raced;
    const budgets = row === undefined ? new Budgets(settings) : Budgets.load(settings, row.windows);
    if (known.size >= maxKeys) forgetOne();
    known.set(key, budgets);
    return budgets;
  }

  function forgetOne(): void {
    for (const key of known.keys()) {
      if (changed.has(key) || flushing.has(key)) continue;
      known.delete(key);
      return;
    }
  }

  return {
    async take(key, submission) {
      const budgets = known.get(key) ?? (await find(key));
      known.delete(key);
      known.set(key, budgets);
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
