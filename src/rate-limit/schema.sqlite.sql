-- The current schema of the rate-limit tables (sqlite). Written by "npm run schema:dump".

CREATE TABLE job_status_cache (
  account TEXT NOT NULL,
  reference TEXT NOT NULL,
  state TEXT NOT NULL,
  all_completed INTEGER,
  at BIGINT NOT NULL,
  PRIMARY KEY (account, reference)
) WITHOUT ROWID;

CREATE TABLE poll_leases (
  account TEXT PRIMARY KEY,
  lease BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);

CREATE TABLE rate_limit_in_flight (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  submission INTEGER NOT NULL,
  started_at BIGINT NOT NULL
);

CREATE INDEX rate_limit_in_flight_by_account ON rate_limit_in_flight (account);

CREATE TABLE rate_limit_keys (
  account TEXT PRIMARY KEY,
  requests BIGINT NOT NULL DEFAULT 0,
  submissions BIGINT NOT NULL DEFAULT 0,
  last_at BIGINT NOT NULL DEFAULT 0,
  submission_closed BIGINT NOT NULL DEFAULT 0,
  poll_closed BIGINT NOT NULL DEFAULT 0,
  check_closed BIGINT NOT NULL DEFAULT 0,
  external_usage TEXT NOT NULL DEFAULT '{}'
);

CREATE TABLE rate_limit_requests (
  account TEXT NOT NULL,
  kind INTEGER NOT NULL,
  number BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (account, kind, number)
) WITHOUT ROWID;
