import type { Migration } from '../src/database/migrate.ts';
import { createEntryTriggers } from './accounts/entry-triggers.ts';
import { createCheckTotals } from './submissions/check-totals.ts';
import { createTotals } from './submissions/totals.ts';

/** The tables of the service. Times are epoch milliseconds, money is integer micro-lira. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: 'service',
    statements: (t) => [
      // `public_id` is what clients know.
      `CREATE TABLE accounts (
        id ${t.id}, public_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, password TEXT,
        status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'closed')), status_reason TEXT,
        balance BIGINT NOT NULL DEFAULT 0 CHECK (balance >= 0),
        price_standard BIGINT NOT NULL CHECK (price_standard >= 0),
        price_fast BIGINT NOT NULL CHECK (price_fast >= 0),
        created_at BIGINT NOT NULL)`,
      // Every price that the account had.
      `CREATE TABLE prices (
        id ${t.id}, account_id BIGINT NOT NULL REFERENCES accounts (id), service TEXT NOT NULL,
        price BIGINT NOT NULL, reason TEXT, created_at BIGINT NOT NULL)`,
      'CREATE INDEX prices_of_account ON prices (account_id, id)',

      // Append-only, which triggers enforce: the balance is their sum. `reverses` is unique, so that no charge is ever given back twice.
      // `reference` is the operator's own (an invoice, a transfer): the same one twice is one entry.
      `CREATE TABLE entries (
        id ${t.id}, account_id BIGINT NOT NULL REFERENCES accounts (id),
        kind TEXT NOT NULL CHECK (kind IN ('charge', 'restore', 'top_up', 'refund', 'adjustment')),
        amount BIGINT NOT NULL, balance_after BIGINT NOT NULL CHECK (balance_after >= 0),
        subject TEXT NOT NULL, reverses BIGINT UNIQUE REFERENCES entries (id), reference TEXT, reason TEXT,
        created_at BIGINT NOT NULL)`,
      'CREATE INDEX entries_of_account ON entries (account_id, id)',
      'CREATE INDEX entries_by_time ON entries (account_id, created_at)',
      'CREATE UNIQUE INDEX entries_by_reference ON entries (account_id, reference)',
      ...createEntryTriggers(t),

      // `replaced_by`: the key was regenerated; it works until `expires_at`, the end of its grace period.
      `CREATE TABLE api_keys (
        id TEXT PRIMARY KEY, account_id BIGINT NOT NULL REFERENCES accounts (id), name TEXT NOT NULL,
        prefix TEXT NOT NULL, hash ${t.bytes} NOT NULL UNIQUE, created_at BIGINT NOT NULL, expires_at BIGINT,
        revoked_at BIGINT, replaced_by TEXT)`,
      'CREATE INDEX api_keys_of_account ON api_keys (account_id)',
      // `version`: of two processes that count the same key at the same time, the second finds another one and reads again.
      `CREATE TABLE budgets (
        key_id TEXT PRIMARY KEY, windows TEXT NOT NULL, updated_at BIGINT NOT NULL, version BIGINT NOT NULL DEFAULT 0)`,

      // The claim of an idempotency key is the submission itself: it never expires while the submission exists.
      // `ran_at`: how long the service had run when it was accepted; its deadline is measured from there.
      // `urls_deleted_at`: since when the URLs of a submission that ended are deleted; its counts stay.
      `CREATE TABLE submissions (
        id ${t.id}, reference TEXT NOT NULL UNIQUE, account_id BIGINT NOT NULL REFERENCES accounts (id),
        idempotency_key TEXT NOT NULL, fingerprint ${t.bytes} NOT NULL,
        project TEXT NOT NULL, searchable TEXT NOT NULL, service TEXT NOT NULL, status TEXT NOT NULL,
        url_count BIGINT NOT NULL, urls_completed BIGINT NOT NULL DEFAULT 0, urls_failed BIGINT NOT NULL DEFAULT 0,
        price BIGINT NOT NULL, charged BIGINT NOT NULL, refunded BIGINT NOT NULL DEFAULT 0,
        created_at BIGINT NOT NULL, ran_at BIGINT NOT NULL, dispatched_at BIGINT, started_at BIGINT, finished_at BIGINT,
        urls_deleted_at BIGINT, UNIQUE (account_id, idempotency_key))`,
      'CREATE INDEX submissions_of_account ON submissions (account_id, id)',
      'CREATE INDEX submissions_by_status ON submissions (account_id, status, id)',
      'CREATE INDEX submissions_waiting ON submissions (service, id) WHERE dispatched_at IS NULL',
      // Overdue submissions and the oldest one that waits are looked for among these.
      'CREATE INDEX submissions_open ON submissions (service, ran_at, created_at) WHERE finished_at IS NULL',
      'CREATE INDEX submissions_undispatched ON submissions (created_at) WHERE dispatched_at IS NULL',
      // What the next sweep deletes.
      `CREATE INDEX submissions_with_urls ON submissions (finished_at)
        WHERE finished_at IS NOT NULL AND urls_deleted_at IS NULL`,
      // What the list and GET /stats show of all submissions of an account.
      ...createTotals(t),

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
      'CREATE INDEX index_checks_of_account ON index_checks (account_id, created_at)',
      `CREATE INDEX index_checks_running ON index_checks (lease_until) WHERE status = 'executing'`,
      'CREATE INDEX index_checks_with_results ON index_checks (finished_at) WHERE results IS NOT NULL',
      // What GET /stats shows of all index-checks of an account.
      ...createCheckTotals(t),

      `CREATE TABLE sessions (
        hash ${t.bytes} PRIMARY KEY, id TEXT NOT NULL UNIQUE, account_id BIGINT NOT NULL REFERENCES accounts (id),
        csrf TEXT NOT NULL, address TEXT NOT NULL, agent TEXT NOT NULL,
        created_at BIGINT NOT NULL, seen_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)`,
      'CREATE INDEX sessions_of_account ON sessions (account_id)',
      `CREATE TABLE password_resets (
        hash ${t.bytes} PRIMARY KEY, account_id BIGINT NOT NULL UNIQUE REFERENCES accounts (id),
        expires_at BIGINT NOT NULL)`,
      // Browsers that signed in before: attempts from other browsers do not count against them.
      `CREATE TABLE devices (
        hash ${t.bytes} PRIMARY KEY, account_id BIGINT NOT NULL REFERENCES accounts (id), created_at BIGINT NOT NULL)`,
      'CREATE INDEX devices_of_account ON devices (account_id, created_at)',
      // Append-only: who changed what, from where.
      `CREATE TABLE audit_events (
        id ${t.id}, account_id BIGINT REFERENCES accounts (id), event TEXT NOT NULL, actor TEXT NOT NULL,
        address TEXT, details TEXT NOT NULL, created_at BIGINT NOT NULL)`,
      'CREATE INDEX audit_events_of_account ON audit_events (account_id, id)',
      'CREATE INDEX audit_events_by_time ON audit_events (created_at)',

      // When a probe of the storage last wrote, and when a worker was last ready.
      'CREATE TABLE service_state (name TEXT PRIMARY KEY, at BIGINT NOT NULL)',
      // One row: the clock at the last look, and how long the service has run in all.
      'CREATE TABLE clock (at BIGINT, ran BIGINT NOT NULL)',
      'INSERT INTO clock (at, ran) VALUES (NULL, 0)',
      // What the clock skipped, and how long the service had run then.
      'CREATE TABLE clock_jumps (ms BIGINT NOT NULL, ran BIGINT NOT NULL)',
    ],
  },
  // Whatever has not ended is handed over again when a process starts.
  {
    name: 'unfinished submissions',
    index: () => ({
      name: 'submissions_unfinished',
      table: 'submissions',
      columns: 'id',
      where: 'finished_at IS NULL',
    }),
  },
  {
    name: 'keys of an account',
    statements: () => [
      `CREATE INDEX api_keys_live ON api_keys (account_id, coalesce(expires_at, 9007199254740991))
        WHERE revoked_at IS NULL`,
      'CREATE INDEX api_keys_by_time ON api_keys (account_id, created_at)',
    ],
  },
  {
    name: 'interrupted deletions',
    // Retention marked a submission before it deleted its URLs: what a crash left is due again.
    statements: () => [
      `UPDATE submissions SET urls_deleted_at = NULL WHERE urls_deleted_at IS NOT NULL
        AND EXISTS (SELECT 1 FROM submission_urls WHERE submission_id = submissions.id)`,
    ],
  },
];
