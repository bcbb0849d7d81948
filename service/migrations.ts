import type { Migration } from '../src/database/migrate.ts';
import { operationsMigration } from './operations/migration.ts';
import { createCheckTotals } from './submissions/check-totals.ts';
import { createTotals } from './submissions/totals.ts';

/** The tables of the service. Times are epoch milliseconds, money is integer micro-lira. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'accounts, submissions, index-checks',
    statements: (t) => [
      `CREATE TABLE accounts (
        id ${t.id}, name TEXT NOT NULL UNIQUE, password TEXT,
        balance BIGINT NOT NULL DEFAULT 0 CHECK (balance >= 0),
        price_standard BIGINT NOT NULL CHECK (price_standard >= 0),
        price_fast BIGINT NOT NULL CHECK (price_fast >= 0),
        created_at BIGINT NOT NULL)`,

      // Append-only: the balance is their sum. `reverses` is unique, so that no charge is ever given back twice.
      `CREATE TABLE entries (
        id ${t.id}, account_id BIGINT NOT NULL REFERENCES accounts (id),
        kind TEXT NOT NULL CHECK (kind IN ('charge', 'restore', 'top_up', 'refund')),
        amount BIGINT NOT NULL, balance_after BIGINT NOT NULL CHECK (balance_after >= 0),
        subject TEXT NOT NULL, reverses BIGINT UNIQUE REFERENCES entries (id), created_at BIGINT NOT NULL)`,
      'CREATE INDEX entries_of_account ON entries (account_id, id)',

      `CREATE TABLE api_keys (
        id TEXT PRIMARY KEY, account_id BIGINT NOT NULL REFERENCES accounts (id), name TEXT NOT NULL,
        prefix TEXT NOT NULL, hash ${t.bytes} NOT NULL UNIQUE, created_at BIGINT NOT NULL, revoked_at BIGINT)`,
      'CREATE INDEX api_keys_of_account ON api_keys (account_id)',

      // The claim of an idempotency key is the submission itself: it never expires while the submission exists.
      `CREATE TABLE submissions (
        id ${t.id}, reference TEXT NOT NULL UNIQUE, account_id BIGINT NOT NULL REFERENCES accounts (id),
        idempotency_key TEXT NOT NULL, fingerprint ${t.bytes} NOT NULL,
        project TEXT NOT NULL, searchable TEXT NOT NULL, service TEXT NOT NULL, status TEXT NOT NULL,
        url_count BIGINT NOT NULL, urls_completed BIGINT NOT NULL DEFAULT 0, urls_failed BIGINT NOT NULL DEFAULT 0,
        price BIGINT NOT NULL, charged BIGINT NOT NULL, refunded BIGINT NOT NULL DEFAULT 0,
        created_at BIGINT NOT NULL, started_at BIGINT, finished_at BIGINT, dispatched_at BIGINT,
        UNIQUE (account_id, idempotency_key))`,
      'CREATE INDEX submissions_of_account ON submissions (account_id, id)',
      'CREATE INDEX submissions_by_status ON submissions (account_id, status, id)',
      'CREATE INDEX submissions_waiting ON submissions (service, id) WHERE dispatched_at IS NULL',

      // status NULL: not decided yet, so it reads as the submission does. The index is per submission on purpose: by
      // url_key alone it would dirty a page of its own for each of 5,000 URLs, some 20 MB a submission.
      `CREATE TABLE submission_urls (
        submission_id BIGINT NOT NULL, position BIGINT NOT NULL, url TEXT NOT NULL, url_key BIGINT NOT NULL,
        status TEXT, reason TEXT, updated_at BIGINT, PRIMARY KEY (submission_id, position)) ${t.withoutRowid}`,
      'CREATE INDEX submission_urls_by_key ON submission_urls (submission_id, url_key)',

      // idempotency_key NULL: the charge was restored, the key is free again.
      `CREATE TABLE index_checks (
        id TEXT PRIMARY KEY, account_id BIGINT NOT NULL REFERENCES accounts (id),
        idempotency_key TEXT, fingerprint ${t.bytes} NOT NULL, status TEXT NOT NULL, urls TEXT NOT NULL,
        url_count BIGINT NOT NULL, found_count BIGINT NOT NULL DEFAULT 0, results TEXT,
        price BIGINT NOT NULL, charged BIGINT NOT NULL, charge_id BIGINT NOT NULL REFERENCES entries (id),
        lease_until BIGINT NOT NULL, created_at BIGINT NOT NULL, finished_at BIGINT,
        UNIQUE (account_id, idempotency_key))`,
      `CREATE INDEX index_checks_running ON index_checks (lease_until) WHERE status = 'executing'`,

      'CREATE TABLE budgets (key_id TEXT PRIMARY KEY, windows TEXT NOT NULL, updated_at BIGINT NOT NULL)',

      `CREATE TABLE sessions (
        hash ${t.bytes} PRIMARY KEY, account_id BIGINT NOT NULL REFERENCES accounts (id),
        csrf TEXT NOT NULL, expires_at BIGINT NOT NULL)`,
    ],
  },
  operationsMigration,
  {
    name: 'versions of budgets, totals of accounts, open submissions, service state',
    statements: (t) => [
      // Two processes that count the same key at the same time: the second one finds another version and reads again.
      'ALTER TABLE budgets ADD COLUMN version BIGINT NOT NULL DEFAULT 0',

      // What the list and GET /stats show of all submissions of an account.
      ...createTotals(t),

      // Overdue submissions and the oldest one that waits are looked for among these.
      'CREATE INDEX submissions_open ON submissions (service, created_at) WHERE finished_at IS NULL',
      'CREATE INDEX submissions_undispatched ON submissions (created_at) WHERE dispatched_at IS NULL',

      // When a probe of the storage last wrote, and when a worker was last ready.
      'CREATE TABLE service_state (name TEXT PRIMARY KEY, at BIGINT NOT NULL)',
    ],
  },
  {
    name: 'retention',
    statements: () => [
      // Set once the URLs of a submission that ended are deleted; its counts stay.
      'ALTER TABLE submissions ADD COLUMN urls_deleted_at BIGINT',
      // What the next sweep deletes.
      `CREATE INDEX submissions_with_urls ON submissions (finished_at)
        WHERE finished_at IS NOT NULL AND urls_deleted_at IS NULL`,
      'CREATE INDEX index_checks_with_results ON index_checks (finished_at) WHERE results IS NOT NULL',
      'CREATE INDEX audit_events_by_time ON audit_events (created_at)',
    ],
  },
  {
    name: 'totals of index-checks',
    // GET /stats read every index-check of the account.
    statements: createCheckTotals,
  },
];
