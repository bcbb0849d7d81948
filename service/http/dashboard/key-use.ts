import type { Queryable } from '../../../src/database/database.ts';
import { eachText, sql } from '../../../src/database/sql.ts';
import { required } from '../../required.ts';
import type { BudgetSettings } from '../../settings.ts';
import { Budgets } from '../limits/budgets.ts';

/** When a key was used last, and how many requests it may still make. */
export interface KeyUse {
  readonly lastUsedAt: number | null;
  readonly left: { readonly minute: number; readonly hour: number; readonly day: number };
}

/** Reads the rate limiter's state of each key. On SQLite it is up to 200 ms old. */
export async function readKeyUse(
  db: Queryable,
  settings: BudgetSettings,
  keys: readonly string[],
  now: number,
): Promise<Map<string, KeyUse>> {
  const rows = await db.all(sql<{ key_id: string; windows: string; updated_at: number }>`
    SELECT key_id, windows, updated_at FROM budgets WHERE key_id IN (SELECT value FROM ${eachText(keys)} AS e)`);
  const byKey = new Map(rows.map((row) => [row.key_id, row]));
  return new Map(
    keys.map((key) => {
      const row = byKey.get(key);
      const budgets = row === undefined ? new Budgets(settings) : Budgets.load(settings, row.windows);
      const lastUsedAt = row === undefined || row.updated_at === 0 ? null : row.updated_at;
      return [key, { lastUsedAt, left: countLeft(budgets, now) }];
    }),
  );
}

/** Takes a request from this copy of the budgets, which is not saved, and gives it back. */
function countLeft(budgets: Budgets, now: number): KeyUse['left'] {
  const { allowed, states } = budgets.take(false, now);
  const left = (name: string) => {
    const { remaining } = required(
      states.find((state) => state.name === name),
      `the window ${name}`,
    );
    return allowed ? remaining + 1 : remaining;
  };
  return { minute: left('minute'), hour: left('hour'), day: left('day') };
}
