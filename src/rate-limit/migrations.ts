import type { Migration } from '../database/migrate.ts';

/**
 * The tables of the rate limits and of the job-status cache. They hold no secret and may be lost: response headers
 * correct the first, the next request the second.
 */
export const RATE_LIMIT_MIGRATIONS: readonly Migration[] = [
  {
    name: 'rate limits and job-status cache',
    statements: (t) => [
      // One row per key: acquire and commit lock it, so they run one after another.
      `CREATE TABLE rate_limit_keys (
         account TEXT PRIMARY KEY,
         requests BIGINT NOT NULL DEFAULT 0,
         submissions BIGINT NOT NULL DEFAULT 0,
         last_at BIGINT NOT NULL DEFAULT 0,
         submission_closed BIGINT NOT NULL DEFAULT 0,
         poll_closed BIGINT NOT NULL DEFAULT 0,
         check_closed BIGINT NOT NULL DEFAULT 0,
         external_usage TEXT NOT NULL DEFAULT '{}')`,
      // Answered requests, numbered by kind without gaps in the order of time: the n-th last is one lookup.
      `CREATE TABLE rate_limit_requests (
         account TEXT NOT NULL, kind INTEGER NOT NULL, number BIGINT NOT NULL, at BIGINT NOT NULL,
         PRIMARY KEY (account, kind, number)) ${t.withoutRowid}`,
      `CREATE TABLE rate_limit_in_flight (
         id ${t.id}, account TEXT NOT NULL, submission INTEGER NOT NULL, started_at BIGINT NOT NULL)`,
      'CREATE INDEX rate_limit_in_flight_by_account ON rate_limit_in_flight (account)',
      // Written by every poll of a list page, so not in the ledger, where each write is flushed. `all_completed`: whether
      // all URLs of the job are completed.
      `CREATE TABLE job_status_cache (
         account TEXT NOT NULL, reference TEXT NOT NULL, state TEXT NOT NULL, all_completed INTEGER, at BIGINT NOT NULL,
         PRIMARY KEY (account, reference)) ${t.withoutRowid}`,
      // Until when a process polls the account's jobs. `lease` distinguishes it from the previous one.
      'CREATE TABLE poll_leases (account TEXT PRIMARY KEY, lease BIGINT NOT NULL, expires_at BIGINT NOT NULL)',
    ],
  },
];
