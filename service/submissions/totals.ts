import type { Micros } from '../../contract/money.ts';
import type { SubmissionState } from '../../contract/states.ts';
import type { Queryable } from '../../src/database/database.ts';
import type { DdlTypes } from '../../src/database/migrate.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from '../accounts/account.ts';
import { type CountedRows, createTotalTriggers } from './total-triggers.ts';

/** What all submissions of an account in one state add up to. */
export interface Totals {
  readonly status: SubmissionState;
  readonly submissions: number;
  readonly urls: number;
  readonly completed: number;
  readonly failed: number;
  /** Charged less refunded. */
  readonly spent: Micros;
}

/** The totals of an account by state: at most five rows, whatever the number of submissions. */
export function getTotals(db: Queryable, account: AccountId): Promise<Totals[]> {
  return db.all(sql<Totals>`
    SELECT status, submissions, urls, completed, failed, spent FROM submission_totals WHERE account_id = ${account}`);
}

const subtractOld = `
  UPDATE submission_totals SET submissions = submissions - 1, urls = urls - OLD.url_count,
    completed = completed - OLD.urls_completed, failed = failed - OLD.urls_failed,
    spent = spent - (OLD.charged - OLD.refunded)
  WHERE account_id = OLD.account_id AND status = OLD.status;`;
const addNew = `
  INSERT INTO submission_totals (account_id, status, submissions, urls, completed, failed, spent)
  VALUES (NEW.account_id, NEW.status, 1, NEW.url_count, NEW.urls_completed, NEW.urls_failed,
    NEW.charged - NEW.refunded)
  ON CONFLICT (account_id, status) DO UPDATE SET submissions = submission_totals.submissions + 1,
    urls = submission_totals.urls + excluded.urls, completed = submission_totals.completed + excluded.completed,
    failed = submission_totals.failed + excluded.failed, spent = submission_totals.spent + excluded.spent;`;
const rows: CountedRows = {
  table: 'submissions',
  row: 'submission',
  columns: 'status, urls_completed, urls_failed, refunded',
  subtractOld,
  addNew,
};

/** The totals, and the triggers that keep them. */
export function createTotals(types: DdlTypes): string[] {
  return [
    `CREATE TABLE submission_totals (
      account_id BIGINT NOT NULL REFERENCES accounts (id), status TEXT NOT NULL,
      submissions BIGINT NOT NULL, urls BIGINT NOT NULL, completed BIGINT NOT NULL, failed BIGINT NOT NULL,
      spent BIGINT NOT NULL, PRIMARY KEY (account_id, status))`,
    ...createTotalTriggers(types, rows),
  ];
}
