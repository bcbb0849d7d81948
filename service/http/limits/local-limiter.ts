import type { Database } from '../../../src/database/database.ts';
import { sql } from '../../../src/database/sql.ts';
import type { BudgetSettings } from '../../settings.ts';
import { Budgets, type Limiter } from './budgets.ts';

/** After a crash at most the requests of this long are not counted; after a stop, all are. */
const FLUSH_MS = 200;
/** Keys in memory; the least recently used one that is saved is evicted first. */
const MAX_KEYS = 10_000;

/** Counts in memory. Saves each key's windows soon after they change, and restores them after a restart. */
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
  /** Being written: the database holds older values. */
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
      // The counts in memory stay correct, and the next change saves them again.
      for (const [key, budgets] of flushing) changed.set(key, budgets);
      onError(error);
    }
    flushing = new Map();
  }

  async function find(key: string, own: Database): Promise<Budgets> {
    const row = await own.get(sql<{ windows: string }>`SELECT windows FROM budgets WHERE key_id = ${key}`);
    // Two first requests of a key may both have read its row: the windows of the first one count.
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
    async take(key, submission, own) {
      const budgets = known.get(key) ?? (await find(key, own));
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
