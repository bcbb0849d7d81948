import type { DdlTypes, Migration } from '../../src/database/migrate.ts';

const ENTRY_COLUMNS = 'id, account_id, kind, amount, balance_after, subject, reverses, created_at';

/** `reference` is the operator's own (an invoice, a transfer): the same one twice is one entry. */
const createEntries = (t: DdlTypes): string =>
  `CREATE TABLE entries (
    id ${t.id}, account_id BIGINT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('charge', 'restore', 'top_up', 'refund', 'adjustment')),
    amount BIGINT NOT NULL, balance_after BIGINT NOT NULL CHECK (balance_after >= 0),
    subject TEXT NOT NULL, reverses BIGINT UNIQUE REFERENCES entries (id), created_at BIGINT NOT NULL,
    reference TEXT, reason TEXT)`;

/**
 * SQLite cannot change a CHECK, so the table is made again. Foreign keys are deferred to the commit: the checks that
 * refer to an entry find it there again.
 */
const entriesOnSqlite = (t: DdlTypes): string[] => [
  'PRAGMA defer_foreign_keys = ON',
  `CREATE TABLE entries_before AS SELECT ${ENTRY_COLUMNS} FROM entries`,
  'DROP TABLE entries',
  createEntries(t),
  `INSERT INTO entries (${ENTRY_COLUMNS}) SELECT ${ENTRY_COLUMNS} FROM entries_before ORDER BY id`,
  'DROP TABLE entries_before',
  'CREATE INDEX entries_of_account ON entries (account_id, id)',
];

const entriesOnPostgres: readonly string[] = [
  'ALTER TABLE entries ADD COLUMN reference TEXT, ADD COLUMN reason TEXT, DROP CONSTRAINT entries_kind_check',
  `ALTER TABLE entries ADD CONSTRAINT entries_kind_check
     CHECK (kind IN ('charge', 'restore', 'top_up', 'refund', 'adjustment'))`,
];

/** The operator's money tools, and what the dashboard keeps of keys, sessions and security events. */
export const operationsMigration: Migration = {
  name: 'operator tools and dashboard',
  statements: (t) => [
    // Accounts that exist keep the id that clients know; new ones get a random one.
    'ALTER TABLE accounts ADD COLUMN public_id TEXT',
    `ALTER TABLE accounts ADD COLUMN status TEXT NOT NULL DEFAULT 'active'
       CHECK (status IN ('active', 'suspended', 'closed'))`,
    'ALTER TABLE accounts ADD COLUMN status_reason TEXT',
    'UPDATE accounts SET public_id = CAST(id AS TEXT)',
    'CREATE UNIQUE INDEX accounts_by_public_id ON accounts (public_id)',

    ...(t.dialect === 'sqlite' ? entriesOnSqlite(t) : entriesOnPostgres),
    'CREATE UNIQUE INDEX entries_by_reference ON entries (account_id, reference)',
    'CREATE INDEX entries_by_time ON entries (account_id, created_at)',

    'CREATE INDEX index_checks_of_account ON index_checks (account_id, created_at)',

    `CREATE TABLE prices (
      id ${t.id}, account_id BIGINT NOT NULL REFERENCES accounts (id), service TEXT NOT NULL,
      price BIGINT NOT NULL, reason TEXT, created_at BIGINT NOT NULL)`,
    'CREATE INDEX prices_of_account ON prices (account_id, id)',
    `INSERT INTO prices (account_id, service, price, created_at)
       SELECT id, 'standard', price_standard, created_at FROM accounts ORDER BY id`,
    `INSERT INTO prices (account_id, service, price, created_at)
       SELECT id, 'fast', price_fast, created_at FROM accounts ORDER BY id`,

    // replaced_by: the key was regenerated; it works until expires_at, the end of its grace period.
    'ALTER TABLE api_keys ADD COLUMN expires_at BIGINT',
    'ALTER TABLE api_keys ADD COLUMN replaced_by TEXT',

    // Sessions last hours: everybody signs in again.
    'DROP TABLE sessions',
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
  ],
};
