import type { Database } from '../../../src/database/database.ts';
import type { BudgetSettings } from '../../settings.ts';
import type { Limiter } from './budgets.ts';
import { localLimiter } from './local-limiter.ts';
import { sharedLimiter } from './shared-limiter.ts';

/**
 * SQLite has one service process, which counts in memory and writes down; Postgres may have many, which count in the
 * database, in turn for each key.
 */
export function openLimiter(db: Database, settings: BudgetSettings, now: () => number): Limiter {
  return db.dialect === 'postgres' ? sharedLimiter(db, settings) : localLimiter(db, settings, now);
}
