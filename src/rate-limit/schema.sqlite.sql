-- The current schema of the rate-limit tables (sqlite). Written by "npm run schema:dump".

CREATE TABLE asking_turns (
  account TEXT PRIMARY KEY,
  turn BIGINT NOT NULL,
  until BIGINT NOT NULL
);

CREATE TABLE budget_flights (
  id INTEGER PRIMARY KEY,
  budget TEXT NOT NULL,
  submission INTEGER NOT NULL,
  since BIGINT NOT NULL
);

CREATE INDEX budget_flights_by_budget ON budget_flights (budget);

CREATE TABLE budget_keys (
  budget TEXT PRIMARY KEY,
  requests BIGINT NOT NULL DEFAULT 0,
  submissions BIGINT NOT NULL DEFAULT 0,
  last_at BIGINT NOT NULL DEFAULT 0,
  submission_closed BIGINT NOT NULL DEFAULT 0,
  poll_closed BIGINT NOT NULL DEFAULT 0,
  check_closed BIGINT NOT NULL DEFAULT 0,
  others TEXT NOT NULL DEFAULT '{}'
);

CREATE TABLE budget_requests (
  budget TEXT NOT NULL,
  kind INTEGER NOT NULL,
  number BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (budget, kind, number)
) WITHOUT ROWID;

CREATE TABLE job_sightings (
  account TEXT NOT NULL,
  reference TEXT NOT NULL,
  state TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (account, reference)
) WITHOUT ROWID;
