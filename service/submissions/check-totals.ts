import type { Micros } from '../../contract/money.ts';
import type { Queryable } from '../../src/database/database.ts';
import type { DdlTypes } from '../../src/database/migrate.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from '../accounts/account.ts';
import { type CountedRows, createTotalTriggers } from './total-triggers.ts';

/** What the answered index-checks of an account add up to. */
export interface CheckTotals {
  readonly checks: number;
  readonly urls: number;
  readonly found: number;
  /** Charged less what was given back. */
  readonly spent: Micros;
}

const NONE: CheckTotals = { checks: 0, urls: 0, found: 0, spent: 0 as Micros };

/** One row, whatever the number of checks. */
export async function getCheckTotals(db: Queryable, account: AccountId): Promise<CheckTotals> {
  const row = await db.get(sql<CheckTotals>`
    SELECT checks, urls, urls_found AS found, spent FROM check_totals WHERE account_id = ${account}`);
  return row ?? NONE;
}

const subtractOld = `
  UPDATE check_totals SET checks = checks - 1, urls = urls - OLD.url_count, urls_found = urls_found - OLD.found_count,
    spent = spent - OLD.charged
  WHERE account_id = OLD.account_id AND OLD.status = 'done';`;
const addNew = `
  INSERT INTO check_totals (account_id, checks, urls, urls_found, spent)
  SELECT NEW.account_id, 1, NEW.url_count, NEW.found_count, NEW.charged WHERE NEW.status = 'done'
  ON CONFLICT (account_id) DO UPDATE SET checks = check_totals.checks + 1, urls = check_totals.urls + excluded.urls,
    urls_found = check_totals.urls_found + excluded.urls_found, spent = check_totals.spent + excluded.spent;`;
const rows: CountedRows = {
  table: 'index_checks',
  row: 'index_check',
  columns: 'status, found_count, charged',
  subtractOld,
  addNew,
};

/** The totals, and the triggers that keep them. */
export function createCheckTotals(types: DdlTypes): string[] {
  return [
    `CREATE TABLE check_totals (
      account_id BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (id), checks BIGINT NOT NULL, urls BIGINT NOT NULL,
      urls_found BIGINT NOT NULL, spent BIGINT NOT NULL)`,
    ...createTotalTriggers(types, rows),
  ];
}
