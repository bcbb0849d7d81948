import type { Migration } from '../database/migrate.ts';

/**
 * The tables of the rate limits and of the job-status cache. They hold no secret and may be lost: response headers
 * correct the first, the next request the second.
 */
export const RATE_LIMIT_MIGRATIONS: readonly Migration[] = [
  {
    name: 'request budgets',
    statements: (t) => [
      // One row per key: acquire and commit lock it, so they run one after another.
      `CREATE TABLE budget_keys (
         budget TEXT PRIMARY KEY,
         requests BIGINT NOT NULL DEFAULT 0,
         submissions BIGINT NOT NULL DEFAULT 0,
         last_at BIGINT NOT NULL DEFAULT 0,
         submission_closed BIGINT NOT NULL DEFAULT 0,
         poll_closed BIGINT NOT NULL DEFAULT 0,
         check_closed BIGINT NOT NULL DEFAULT 0,
         others TEXT NOT NULL DEFAULT '{}')`,
      // Answered requests, numbered without gaps in the order of time: the n-th last is one lookup.
      `CREATE TABLE budget_requests (
         budget TEXT NOT NULL, submission INTEGER NOT NULL, number BIGINT NOT NULL, at BIGINT NOT NULL,
         PRIMARY KEY (budget, submission, number)) ${t.withoutRowid}`,
      // Requests in flight.
      `CREATE TABLE budget_flights (
         id ${t.id}, budget TEXT NOT NULL, submission INTEGER NOT NULL, since BIGINT NOT NULL)`,
      'CREATE INDEX budget_flights_by_budget ON budget_flights (budget)',
    ],
  },
  {
    name: 'job sightings',
    statements: (t) => [
      // Written by every poll of a list page, so not in the ledger, where each write is flushed.
      `CREATE TABLE job_sightings (
         account TEXT NOT NULL, reference TEXT NOT NULL, state TEXT NOT NULL, at BIGINT NOT NULL,
         PRIMARY KEY (account, reference)) ${t.withoutRowid}`,
      // Until when a process polls the account's jobs. `turn` distinguishes it from the previous one.
      'CREATE TABLE asking_turns (account TEXT PRIMARY KEY, turn BIGINT NOT NULL, until BIGINT NOT NULL)',
    ],
  },
  {
    name: 'polls and checks are numbered by themselves',
    statements: () => ['ALTER TABLE budget_requests RENAME COLUMN submission TO kind'],
  },
  {
    name: 'tables and columns by their standard terms',
    statements: () => [
      'ALTER TABLE budget_keys RENAME TO rate_limit_keys',
      'ALTER TABLE rate_limit_keys RENAME COLUMN budget TO account',
      'ALTER TABLE rate_limit_keys RENAME COLUMN others TO external_usage',
      'ALTER TABLE budget_requests RENAME TO rate_limit_requests',
      'ALTER TABLE rate_limit_requests RENAME COLUMN budget TO account',
      'ALTER TABLE budget_flights RENAME TO rate_limit_in_flight',
      'ALTER TABLE rate_limit_in_flight RENAME COLUMN budget TO account',
      'ALTER TABLE rate_limit_in_flight RENAME COLUMN since TO started_at',
      'DROP INDEX budget_flights_by_budget',
      'CREATE INDEX rate_limit_in_flight_by_account ON rate_limit_in_flight (account)',
      'ALTER TABLE job_sightings RENAME TO job_status_cache',
      'ALTER TABLE asking_turns RENAME TO poll_leases',
      'ALTER TABLE poll_leases RENAME COLUMN turn TO lease',
      'ALTER TABLE poll_leases RENAME COLUMN until TO expires_at',
    ],
  },
  {
    name: 'whether all URLs of a job are completed',
    statements: () => ['ALTER TABLE job_status_cache ADD COLUMN all_completed INTEGER'],
  },
];
