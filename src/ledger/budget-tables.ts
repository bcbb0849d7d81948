import type { Migration } from '../database/migrate.ts';

/** The tables of the request budgets. They hold no secret and nothing that could not be lost: headers correct them. */
export const BUDGET_MIGRATIONS: readonly Migration[] = [
  {
    name: 'request budgets',
    statements: (t) => [
      // One row a key: taking and settling lock it, so they happen one after another.
      `CREATE TABLE budget_keys (
         budget TEXT PRIMARY KEY,
         requests BIGINT NOT NULL DEFAULT 0,
         submissions BIGINT NOT NULL DEFAULT 0,
         last_at BIGINT NOT NULL DEFAULT 0,
         submission_closed BIGINT NOT NULL DEFAULT 0,
         poll_closed BIGINT NOT NULL DEFAULT 0,
         check_closed BIGINT NOT NULL DEFAULT 0,
         others TEXT NOT NULL DEFAULT '{}')`,
      // Answered requests, numbered without gaps and in the order of time: the n-th last is one look-up.
      `CREATE TABLE budget_requests (
         budget TEXT NOT NULL, submission INTEGER NOT NULL, number BIGINT NOT NULL, at BIGINT NOT NULL,
         PRIMARY KEY (budget, submission, number)) ${t.withoutRowid}`,
      // Requests on their way.
      `CREATE TABLE budget_flights (
         id ${t.id}, budget TEXT NOT NULL, submission INTEGER NOT NULL, since BIGINT NOT NULL)`,
      'CREATE INDEX budget_flights_by_budget ON budget_flights (budget)',
    ],
  },
];
