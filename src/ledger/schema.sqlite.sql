-- The current schema of the ledger tables (sqlite). Written by "npm run schema:dump".

CREATE TABLE account_contact (
  account_id TEXT PRIMARY KEY,
  responded_at BIGINT,
  failing_since BIGINT,
  failure TEXT
);

CREATE TABLE account_stops (
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('history', 'key', 'identity', 'refusals', 'unanswered')),
  since BIGINT NOT NULL,
  until BIGINT,
  reason_code TEXT NOT NULL,
  reason_params TEXT,
  counted TEXT,
  PRIMARY KEY (account_id, kind),
  CHECK (counted IS NULL OR kind = 'refusals')
);

CREATE TABLE balance_readings (
  id INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  since BIGINT NOT NULL,
  at BIGINT NOT NULL,
  balance BIGINT NOT NULL,
  journal_id BIGINT NOT NULL
);

CREATE INDEX balance_readings_by_account ON balance_readings (account_id, id);

CREATE TABLE batch_answers (
  batch_id BIGINT NOT NULL,
  attempt INTEGER NOT NULL,
  at BIGINT NOT NULL,
  kind TEXT NOT NULL,
  charge_state TEXT NOT NULL,
  status INTEGER,
  request_id TEXT,
  message TEXT,
  PRIMARY KEY (batch_id, attempt)
) WITHOUT ROWID;

CREATE TABLE batch_bodies (
  batch_id BIGINT PRIMARY KEY,
  body TEXT NOT NULL
);

CREATE TABLE batch_urls (
  batch_id BIGINT NOT NULL,
  position INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  generation INTEGER NOT NULL,
  due TEXT,
  result TEXT,
  reason TEXT,
  PRIMARY KEY (batch_id, position)
) WITHOUT ROWID;

CREATE UNIQUE INDEX batch_urls_once ON batch_urls (url_id, generation);

CREATE TABLE batches (
  id INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  watch_id BIGINT NOT NULL,
  run_id BIGINT,
  parent_id BIGINT,
  service TEXT NOT NULL,
  project TEXT NOT NULL,
  normalized_project TEXT NOT NULL,
  base_url TEXT NOT NULL,
  generation INTEGER NOT NULL,
  idempotency_key TEXT UNIQUE,
  digest TEXT,
  tag TEXT,
  urls INTEGER NOT NULL,
  expected_cost BIGINT,
  price_basis TEXT NOT NULL,
  state TEXT NOT NULL,
  reason_code TEXT,
  reason_params TEXT,
  planned_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  in_doubt_since BIGINT,
  not_before BIGINT,
  waits_since BIGINT,
  needs_lookup INTEGER NOT NULL DEFAULT 0,
  if_absent TEXT,
  absent_at BIGINT,
  reference TEXT,
  accepted_at BIGINT,
  charge BIGINT,
  job_state TEXT,
  polls INTEGER NOT NULL DEFAULT 0,
  polled_at BIGINT,
  ended_at BIGINT,
  settled_at BIGINT,
  completed INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX batches_by_acceptance ON batches (account_id, accepted_at) WHERE accepted_at IS NOT NULL;

CREATE UNIQUE INDEX batches_by_reference ON batches (account_id, reference) WHERE reference IS NOT NULL;

CREATE INDEX batches_by_run ON batches (run_id);

CREATE INDEX batches_by_tag ON batches (account_id, tag) WHERE reference IS NULL AND tag IS NOT NULL;

CREATE INDEX batches_followed ON batches (account_id, accepted_at) WHERE state = 'accepted' AND settled_at IS NULL;

CREATE INDEX batches_in_doubt ON batches (account_id) WHERE in_doubt_since IS NOT NULL;

CREATE INDEX batches_in_review ON batches (account_id) WHERE state = 'needs_review';

CREATE INDEX batches_waiting ON batches (account_id, id) WHERE state IN ('planned', 'sending');

CREATE TABLE check_queue (
  url_id BIGINT PRIMARY KEY,
  watch_id BIGINT NOT NULL,
  completed_at BIGINT NOT NULL,
  next_at BIGINT,
  checks INTEGER NOT NULL DEFAULT 0,
  misses INTEGER NOT NULL DEFAULT 0,
  last_check_at BIGINT,
  found_at BIGINT,
  resubmitted INTEGER NOT NULL DEFAULT 0,
  check_id BIGINT
);

CREATE INDEX check_queue_due ON check_queue (watch_id, next_at) WHERE next_at IS NOT NULL;

CREATE TABLE check_urls (
  check_id BIGINT NOT NULL,
  position INTEGER NOT NULL,
  url_id BIGINT NOT NULL,
  result TEXT,
  detail TEXT,
  at BIGINT,
  PRIMARY KEY (check_id, position)
) WITHOUT ROWID;

CREATE INDEX check_urls_by_url ON check_urls (url_id);

CREATE TABLE checks (
  id INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  watch_id BIGINT NOT NULL,
  round INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL,
  body TEXT NOT NULL,
  urls INTEGER NOT NULL,
  expected_cost BIGINT NOT NULL,
  state TEXT NOT NULL,
  reason_code TEXT,
  reason_params TEXT,
  every_ms BIGINT NOT NULL,
  planned_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  in_doubt_since BIGINT,
  not_before BIGINT,
  waits_since BIGINT,
  request_id TEXT,
  done_at BIGINT,
  found INTEGER,
  usable INTEGER,
  charge BIGINT
);

CREATE INDEX checks_by_watch ON checks (watch_id, id);

CREATE INDEX checks_done ON checks (watch_id, done_at) WHERE state = 'done';

CREATE UNIQUE INDEX checks_open ON checks (watch_id) WHERE state IN ('planned', 'sending');

CREATE TABLE foreign_jobs (
  account_id TEXT NOT NULL,
  reference TEXT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (account_id, reference)
);

CREATE TABLE gone_candidates (
  watch_id BIGINT NOT NULL,
  fp BIGINT NOT NULL,
  PRIMARY KEY (watch_id, fp)
) WITHOUT ROWID;

CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  watch_id BIGINT NOT NULL,
  run_id BIGINT,
  kind TEXT NOT NULL CHECK (kind IN ('batch', 'check')),
  of_id BIGINT NOT NULL,
  from_bucket TEXT NOT NULL CHECK (from_bucket IN ('free', 'planned', 'sent', 'charged', 'assumed')),
  to_bucket TEXT NOT NULL CHECK (to_bucket IN ('free', 'planned', 'sent', 'charged', 'assumed')),
  amount BIGINT NOT NULL CHECK (amount >= 0),
  counted BIGINT NOT NULL CHECK (counted >= 0),
  day BIGINT NOT NULL,
  urls BIGINT NOT NULL CHECK (urls >= 0),
  unpriced BIGINT NOT NULL,
  at BIGINT NOT NULL,
  CHECK (from_bucket <> to_bucket AND (amount > 0 OR urls > 0 OR counted > 0 OR unpriced <> 0))
);

CREATE UNIQUE INDEX journal_booked_once ON journal (kind, of_id) WHERE urls > 0 AND to_bucket IN ('charged', 'assumed') AND from_bucket IN ('free', 'planned', 'sent');

CREATE INDEX journal_by_account ON journal (account_id, at);

CREATE INDEX journal_by_purchase ON journal (kind, of_id);

CREATE INDEX journal_by_run ON journal (run_id);

CREATE INDEX journal_unknown ON journal (account_id) WHERE unpriced > 0;

CREATE TABLE journal_totals (
  account_id TEXT NOT NULL,
  day BIGINT NOT NULL,
  watch_id BIGINT NOT NULL,
  kind TEXT NOT NULL,
  bucket TEXT NOT NULL,
  amount BIGINT NOT NULL CHECK (amount >= 0),
  counted BIGINT NOT NULL CHECK (counted >= 0),
  urls BIGINT NOT NULL CHECK (urls >= 0),
  unpriced BIGINT NOT NULL,
  PRIMARY KEY (account_id, day, watch_id, kind, bucket)
) WITHOUT ROWID;

CREATE INDEX journal_totals_by_watch ON journal_totals (watch_id, day);

CREATE TABLE ledger_accounts (
  id TEXT PRIMARY KEY,
  base_url TEXT,
  lock_version BIGINT NOT NULL DEFAULT 0,
  balance BIGINT,
  balance_at BIGINT,
  fast_share BIGINT NOT NULL DEFAULT 0,
  standard_share BIGINT NOT NULL DEFAULT 0,
  fast_in_a_row BIGINT NOT NULL DEFAULT 0,
  other_currency TEXT
);

CREATE TABLE ledger_settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE notice_conditions (
  key TEXT PRIMARY KEY,
  since BIGINT NOT NULL,
  level BIGINT NOT NULL,
  noticed_at BIGINT NOT NULL,
  details TEXT NOT NULL
);

CREATE TABLE notice_pings (
  watch TEXT PRIMARY KEY,
  run TEXT NOT NULL
);

CREATE TABLE notice_queue (
  id INTEGER PRIMARY KEY,
  event_key TEXT NOT NULL,
  channel TEXT NOT NULL,
  message TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before BIGINT NOT NULL,
  ended_at BIGINT,
  failure TEXT,
  UNIQUE (event_key, channel)
);

CREATE INDEX notice_queue_channel ON notice_queue (channel, id) WHERE ended_at IS NULL;

CREATE INDEX notice_queue_ended ON notice_queue (ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX notice_queue_waiting ON notice_queue (not_before, id) WHERE ended_at IS NULL;

CREATE TABLE price_changes (
  account_id TEXT NOT NULL,
  service TEXT NOT NULL,
  at BIGINT NOT NULL,
  price BIGINT NOT NULL,
  PRIMARY KEY (account_id, service, at)
);

CREATE TABLE prices (
  account_id TEXT NOT NULL,
  service TEXT NOT NULL,
  price BIGINT NOT NULL,
  learned_at BIGINT NOT NULL,
  counted BIGINT NOT NULL DEFAULT 0,
  configured BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, service)
);

CREATE TABLE run_sitemaps (
  run_id BIGINT NOT NULL,
  sitemap_id BIGINT NOT NULL,
  verdict TEXT NOT NULL,
  code TEXT,
  message TEXT,
  urls INTEGER NOT NULL,
  new_urls INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  saved_bytes BIGINT,
  saved_ms BIGINT,
  at BIGINT NOT NULL,
  PRIMARY KEY (run_id, sitemap_id)
);

CREATE TABLE run_skips (
  run_id BIGINT NOT NULL,
  sitemap_id BIGINT NOT NULL,
  reason TEXT NOT NULL,
  urls INTEGER NOT NULL,
  sample TEXT NOT NULL,
  PRIMARY KEY (run_id, sitemap_id, reason)
);

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  watch_id BIGINT NOT NULL,
  account_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  baseline INTEGER NOT NULL,
  first_run INTEGER NOT NULL,
  max_cost BIGINT,
  started_at BIGINT NOT NULL,
  touched_at BIGINT NOT NULL,
  ended_at BIGINT,
  end_state TEXT,
  complete INTEGER,
  found INTEGER,
  new_urls INTEGER,
  changed INTEGER,
  known INTEGER,
  gone INTEGER,
  skipped INTEGER,
  unmatched_rules TEXT,
  held TEXT,
  decision TEXT,
  decided_by TEXT,
  decided_at BIGINT,
  decided_urls BIGINT,
  decided_cost BIGINT,
  planned_at BIGINT,
  planned_urls INTEGER,
  planned_batches INTEGER,
  planned_cost BIGINT,
  price_basis TEXT,
  price_per_url BIGINT,
  plan_due TEXT,
  plan_digest TEXT,
  held_urls INTEGER,
  held_reason_code TEXT,
  held_reason_params TEXT
);

CREATE INDEX runs_by_watch ON runs (watch_id, started_at);

CREATE UNIQUE INDEX runs_open ON runs (watch_id) WHERE ended_at IS NULL;

CREATE TABLE sitemap_snapshots (
  sitemap_id BIGINT PRIMARY KEY,
  entries BLOB NOT NULL
);

CREATE TABLE sitemaps (
  id INTEGER PRIMARY KEY,
  watch_id BIGINT NOT NULL,
  url TEXT NOT NULL,
  known TEXT,
  scope TEXT,
  matched_rules TEXT,
  urls INTEGER NOT NULL DEFAULT 0,
  baseline INTEGER NOT NULL DEFAULT 0,
  complete_at BIGINT,
  UNIQUE (watch_id, url)
);

CREATE TABLE unread_jobs (
  batch_id BIGINT PRIMARY KEY,
  account_id TEXT NOT NULL,
  found TEXT NOT NULL,
  tried TEXT NOT NULL,
  asked TEXT,
  asked_at BIGINT
);

CREATE INDEX unread_jobs_asked ON unread_jobs (account_id) WHERE asked IS NOT NULL;

CREATE TABLE urls (
  id INTEGER PRIMARY KEY,
  fp BIGINT NOT NULL,
  watch_id BIGINT NOT NULL,
  sitemap_id BIGINT NOT NULL,
  url TEXT NOT NULL,
  version BIGINT,
  planned_version BIGINT,
  bought_version BIGINT,
  shown_versions TEXT,
  first_run BIGINT NOT NULL,
  changed_run BIGINT,
  gone_run BIGINT,
  state TEXT NOT NULL,
  reason_code TEXT,
  reason_params TEXT,
  due TEXT,
  due_at BIGINT,
  guard_passed INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  bought_at BIGINT,
  versions_bought_until BIGINT,
  completed_at BIGINT,
  forgotten_at BIGINT,
  quarantined BOOLEAN NOT NULL GENERATED ALWAYS AS (state = 'quarantined') STORED
);

CREATE UNIQUE INDEX urls_by_fp ON urls (fp, watch_id);

CREATE INDEX urls_due ON urls (watch_id, url) WHERE due IS NOT NULL;

CREATE INDEX urls_forgotten ON urls (forgotten_at) WHERE forgotten_at IS NOT NULL;

CREATE INDEX urls_gone ON urls (gone_run) WHERE gone_run IS NOT NULL;

CREATE INDEX urls_left ON urls (watch_id) WHERE gone_run IS NOT NULL AND generation > 0 AND (due IS NOT NULL OR quarantined);

CREATE INDEX urls_quarantined ON urls (watch_id, id) WHERE quarantined;

CREATE TABLE watch_days (
  watch_id BIGINT NOT NULL,
  day BIGINT NOT NULL,
  listed BIGINT NOT NULL,
  bought BIGINT NOT NULL,
  completed BIGINT NOT NULL,
  checked BIGINT NOT NULL,
  found BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (watch_id, day)
) WITHOUT ROWID;

CREATE TABLE watches (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  live INTEGER NOT NULL DEFAULT 0,
  served_at BIGINT NOT NULL DEFAULT 0,
  share BIGINT NOT NULL DEFAULT 0
);
