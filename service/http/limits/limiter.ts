import type { Database } from '../../../src/database/database.ts';
import type { BudgetSettings } from '../../settings.ts';
import type { Limiter } from './budgets.ts';
import { localLimiter } from './local-limiter.ts';
import { sharedLimiter } from './shared-limiter.ts';

interface LimiterDeps {
  readonly db: Database;
  readonly settings: BudgetSettings;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/**
 * With SQLite there is one service process, which counts in memory and saves the counts. With Postgres there may be many,
 * which count in the database.
 */
export function openLimiter({ db, settings, now, onError }: LimiterDeps): Limiter {
  return db.dialect === 'postgres' ? sharedLimiter(settings) : localLimiter(db, settings, now, onError);
}
