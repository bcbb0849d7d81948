-- The current schema of the service tables (sqlite). Written by "npm run schema:dump".

CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  public_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE,
  password TEXT,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'closed')),
  status_reason TEXT,
  balance BIGINT NOT NULL DEFAULT 0 CHECK (balance >= 0),
  price_standard BIGINT NOT NULL CHECK (price_standard >= 0),
  price_fast BIGINT NOT NULL CHECK (price_fast >= 0),
  created_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  account_id BIGINT NOT NULL REFERENCES accounts (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  replaced_by TEXT
);

CREATE INDEX api_keys_by_time ON api_keys (account_id, created_at);

CREATE INDEX api_keys_live ON api_keys (account_id, coalesce(expires_at, 9007199254740991)) WHERE revoked_at IS NULL;

CREATE INDEX api_keys_of_account ON api_keys (account_id);

CREATE TABLE audit_events (
  id INTEGER PRIMARY KEY,
  account_id BIGINT REFERENCES accounts (id),
  event TEXT NOT NULL,
  actor TEXT NOT NULL,
  address TEXT,
  details TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE INDEX audit_events_by_time ON audit_events (created_at);

CREATE INDEX audit_events_of_account ON audit_events (account_id, id);

CREATE TABLE budgets (
  key_id TEXT PRIMARY KEY,
  windows TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  version BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE check_totals (
  account_id BIGINT NOT NULL PRIMARY KEY REFERENCES accounts (id),
  checks BIGINT NOT NULL,
  urls BIGINT NOT NULL,
  urls_found BIGINT NOT NULL,
  spent BIGINT NOT NULL
);

CREATE TABLE clock (
  at BIGINT,
  ran BIGINT NOT NULL
);

CREATE TABLE clock_jumps (
  ms BIGINT NOT NULL,
  ran BIGINT NOT NULL
);

CREATE TABLE devices (
  hash BLOB PRIMARY KEY,
  account_id BIGINT NOT NULL REFERENCES accounts (id),
  created_at BIGINT NOT NULL
);

CREATE INDEX devices_of_account ON devices (account_id, created_at);

CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  account_id BIGINT NOT NULL REFERENCES accounts (id),
  kind TEXT NOT NULL CHECK (kind IN ('charge', 'restore', 'top_up', 'refund', 'adjustment')),
  amount BIGINT NOT NULL,
  balance_after BIGINT NOT NULL CHECK (balance_after >= 0),
  subject TEXT NOT NULL,
  reverses BIGINT UNIQUE REFERENCES entries (id),
  reference TEXT,
  reason TEXT,
  created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX entries_by_reference ON entries (account_id, reference);

CREATE INDEX entries_by_time ON entries (account_id, created_at);

CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries are never changed or deleted: append one that corrects it'); END;

CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries are never changed or deleted: append one that corrects it'); END;

CREATE INDEX entries_of_account ON entries (account_id, id);

CREATE TABLE index_checks (
  id TEXT PRIMARY KEY,
  account_id BIGINT NOT NULL REFERENCES accounts (id),
  idempotency_key TEXT,
  fingerprint BLOB NOT NULL,
  status TEXT NOT NULL,
  urls TEXT NOT NULL,
  url_count BIGINT NOT NULL,
  found_count BIGINT NOT NULL DEFAULT 0,
  results TEXT,
  price BIGINT NOT NULL,
  charged BIGINT NOT NULL,
  charge_id BIGINT NOT NULL REFERENCES entries (id),
  lease_until BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  UNIQUE (account_id, idempotency_key)
);

CREATE TRIGGER index_checks_added AFTER INSERT ON index_checks BEGIN INSERT INTO check_totals (account_id, checks, urls, urls_found, spent) SELECT NEW.account_id, 1, NEW.url_count, NEW.found_count, NEW.charged WHERE NEW.status = 'done' ON CONFLICT (account_id) DO UPDATE SET checks = check_totals.checks + 1, urls = check_totals.urls + excluded.urls, urls_found = check_totals.urls_found + excluded.urls_found, spent = check_totals.spent + excluded.spent; END;

CREATE TRIGGER index_checks_changed AFTER UPDATE OF status, found_count, charged ON index_checks BEGIN UPDATE check_totals SET checks = checks - 1, urls = urls - OLD.url_count, urls_found = urls_found - OLD.found_count, spent = spent - OLD.charged WHERE account_id = OLD.account_id AND OLD.status = 'done'; INSERT INTO check_totals (account_id, checks, urls, urls_found, spent) SELECT NEW.account_id, 1, NEW.url_count, NEW.found_count, NEW.charged WHERE NEW.status = 'done' ON CONFLICT (account_id) DO UPDATE SET checks = check_totals.checks + 1, urls = check_totals.urls + excluded.urls, urls_found = check_totals.urls_found + excluded.urls_found, spent = check_totals.spent + excluded.spent; END;

CREATE INDEX index_checks_of_account ON index_checks (account_id, created_at);

CREATE INDEX index_checks_running ON index_checks (lease_until) WHERE status = 'executing';

CREATE INDEX index_checks_with_results ON index_checks (finished_at) WHERE results IS NOT NULL;

CREATE TABLE password_resets (
  hash BLOB PRIMARY KEY,
  account_id BIGINT NOT NULL UNIQUE REFERENCES accounts (id),
  expires_at BIGINT NOT NULL
);

CREATE TABLE prices (
  id INTEGER PRIMARY KEY,
  account_id BIGINT NOT NULL REFERENCES accounts (id),
  service TEXT NOT NULL,
  price BIGINT NOT NULL,
  reason TEXT,
  created_at BIGINT NOT NULL
);

CREATE INDEX prices_of_account ON prices (account_id, id);

CREATE TABLE service_state (
  name TEXT PRIMARY KEY,
  at BIGINT NOT NULL
);

CREATE TABLE sessions (
  hash BLOB PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  account_id BIGINT NOT NULL REFERENCES accounts (id),
  csrf TEXT NOT NULL,
  address TEXT NOT NULL,
  agent TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);

CREATE INDEX sessions_of_account ON sessions (account_id);

CREATE TABLE submission_totals (
  account_id BIGINT NOT NULL REFERENCES accounts (id),
  status TEXT NOT NULL,
  submissions BIGINT NOT NULL,
  urls BIGINT NOT NULL,
  completed BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  spent BIGINT NOT NULL,
  PRIMARY KEY (account_id, status)
);

CREATE TABLE submission_urls (
  submission_id BIGINT NOT NULL,
  position BIGINT NOT NULL,
  url TEXT NOT NULL,
  url_key BIGINT NOT NULL,
  status TEXT,
  reason TEXT,
  updated_at BIGINT,
  PRIMARY KEY (submission_id, position)
) WITHOUT ROWID;

CREATE INDEX submission_urls_by_key ON submission_urls (submission_id, url_key);

CREATE TABLE submissions (
  id INTEGER PRIMARY KEY,
  reference TEXT NOT NULL UNIQUE,
  account_id BIGINT NOT NULL REFERENCES accounts (id),
  idempotency_key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  project TEXT NOT NULL,
  searchable TEXT NOT NULL,
  service TEXT NOT NULL,
  status TEXT NOT NULL,
  url_count BIGINT NOT NULL,
  urls_completed BIGINT NOT NULL DEFAULT 0,
  urls_failed BIGINT NOT NULL DEFAULT 0,
  price BIGINT NOT NULL,
  charged BIGINT NOT NULL,
  refunded BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  ran_at BIGINT NOT NULL,
  dispatched_at BIGINT,
  started_at BIGINT,
  finished_at BIGINT,
  urls_deleted_at BIGINT,
  UNIQUE (account_id, idempotency_key)
);

CREATE TRIGGER submissions_added AFTER INSERT ON submissions BEGIN INSERT INTO submission_totals (account_id, status, submissions, urls, completed, failed, spent) VALUES (NEW.account_id, NEW.status, 1, NEW.url_count, NEW.urls_completed, NEW.urls_failed, NEW.charged - NEW.refunded) ON CONFLICT (account_id, status) DO UPDATE SET submissions = submission_totals.submissions + 1, urls = submission_totals.urls + excluded.urls, completed = submission_totals.completed + excluded.completed, failed = submission_totals.failed + excluded.failed, spent = submission_totals.spent + excluded.spent; END;

CREATE INDEX submissions_by_status ON submissions (account_id, status, id);

CREATE TRIGGER submissions_changed AFTER UPDATE OF status, urls_completed, urls_failed, refunded ON submissions BEGIN UPDATE submission_totals SET submissions = submissions - 1, urls = urls - OLD.url_count, completed = completed - OLD.urls_completed, failed = failed - OLD.urls_failed, spent = spent - (OLD.charged - OLD.refunded) WHERE account_id = OLD.account_id AND status = OLD.status; INSERT INTO submission_totals (account_id, status, submissions, urls, completed, failed, spent) VALUES (NEW.account_id, NEW.status, 1, NEW.url_count, NEW.urls_completed, NEW.urls_failed, NEW.charged - NEW.refunded) ON CONFLICT (account_id, status) DO UPDATE SET submissions = submission_totals.submissions + 1, urls = submission_totals.urls + excluded.urls, completed = submission_totals.completed + excluded.completed, failed = submission_totals.failed + excluded.failed, spent = submission_totals.spent + excluded.spent; END;

CREATE INDEX submissions_of_account ON submissions (account_id, id);

CREATE INDEX submissions_open ON submissions (service, ran_at, created_at) WHERE finished_at IS NULL;

CREATE INDEX submissions_undispatched ON submissions (created_at) WHERE dispatched_at IS NULL;

CREATE INDEX submissions_unfinished ON submissions (id) WHERE finished_at IS NULL;

CREATE INDEX submissions_waiting ON submissions (service, id) WHERE dispatched_at IS NULL;

CREATE INDEX submissions_with_urls ON submissions (finished_at) WHERE finished_at IS NOT NULL AND urls_deleted_at IS NULL;
