import type { Migration } from '../database/migrate.ts';

/**
 * The ledger's tables. Times are epoch milliseconds, money is integer micro-lira. What must hold whatever the program
 * does is said here, by unique indexes: one open run a watch, one row a URL of a watch, one batch a generation of a
 * URL, one closing entry of the journal a purchase, one batch a reference.
 */
export const LEDGER_MIGRATIONS: readonly Migration[] = [
  {
    name: 'ledger',
    statements: (t) => [
      'CREATE TABLE ledger_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)',
      // `lock_version` is written first in every transaction that plans or spends, so that they take turns per account.
      // Shares are in URLs (src/ledger/batches/fair-share.ts). `other_currency`: of the last acceptance, where it is not the lira.
      `CREATE TABLE ledger_accounts (
        id TEXT PRIMARY KEY, base_url TEXT, lock_version BIGINT NOT NULL DEFAULT 0, balance BIGINT, balance_at BIGINT,
        suspended_code TEXT, suspended_params TEXT, key_rejected_code TEXT, key_rejected_params TEXT,
        fast_share BIGINT NOT NULL DEFAULT 0, standard_share BIGINT NOT NULL DEFAULT 0,
        fast_in_a_row BIGINT NOT NULL DEFAULT 0, other_currency TEXT)`,
      // `hold`: why nothing of the account is sent, as JSON; NULL when nothing is held back.
      'CREATE TABLE account_history (account_id TEXT PRIMARY KEY, hold TEXT, held_at BIGINT)',
      `CREATE TABLE foreign_jobs (
        account_id TEXT NOT NULL, reference TEXT NOT NULL, at BIGINT NOT NULL, PRIMARY KEY (account_id, reference))`,
      // Batches refused alike in a row. `until`: the account is stopped, and tries one batch then.
      `CREATE TABLE account_refusals (
        account_id TEXT PRIMARY KEY, status INTEGER NOT NULL, batches TEXT NOT NULL, refusals INTEGER NOT NULL,
        message TEXT NOT NULL, until BIGINT)`,
      // Whether the service of an account responds, by the readings of its balance.
      `CREATE TABLE account_contact (
        account_id TEXT PRIMARY KEY, responded_at BIGINT, failing_since BIGINT, failure TEXT)`,
      // Why nothing of an account is sent before its service has answered once: what it answered last, when, and until when it waits.
      `CREATE TABLE account_waits (
        account_id TEXT PRIMARY KEY, why TEXT NOT NULL, since BIGINT NOT NULL, at BIGINT NOT NULL, until BIGINT NOT NULL)`,
      `CREATE TABLE prices (
        account_id TEXT NOT NULL, service TEXT NOT NULL, price BIGINT NOT NULL, learned_at BIGINT NOT NULL,
        PRIMARY KEY (account_id, service))`,
      // Since when a URL has cost this much: each change is reported.
      `CREATE TABLE price_changes (
        account_id TEXT NOT NULL, service TEXT NOT NULL, at BIGINT NOT NULL, price BIGINT NOT NULL,
        PRIMARY KEY (account_id, service, at))`,

      // `live`: how many of its URLs are not gone. `served_at`: when its batches last had their turn.
      `CREATE TABLE watches (id ${t.id}, name TEXT NOT NULL UNIQUE, account_id TEXT NOT NULL,
        live INTEGER NOT NULL DEFAULT 0, served_at BIGINT NOT NULL DEFAULT 0, share BIGINT NOT NULL DEFAULT 0)`,
      // One row for each watch and UTC day, as it was when it was last counted on that day.
      `CREATE TABLE watch_days (
        watch_id BIGINT NOT NULL, day BIGINT NOT NULL, listed BIGINT NOT NULL, bought BIGINT NOT NULL,
        completed BIGINT NOT NULL, checked BIGINT NOT NULL, found BIGINT NOT NULL, at BIGINT NOT NULL,
        PRIMARY KEY (watch_id, day)) ${t.withoutRowid}`,
      // `max_cost`: what `--max-cost` allows the run to spend in all. `decided_urls`, `decided_cost`: what was shown to whoever
      // decided on it, and bounds what it buys; a cost of NULL: no price was known. `unmatched_rules`: rules of the scope that matched
      // no URL, as a JSON list.
      `CREATE TABLE runs (
        id ${t.id}, name TEXT NOT NULL UNIQUE, watch_id BIGINT NOT NULL, account_id TEXT NOT NULL,
        scope TEXT NOT NULL, baseline INTEGER NOT NULL, first_run INTEGER NOT NULL, max_cost BIGINT,
        started_at BIGINT NOT NULL, touched_at BIGINT NOT NULL, ended_at BIGINT, end_state TEXT, complete INTEGER,
        found INTEGER, new_urls INTEGER, changed INTEGER, known INTEGER, gone INTEGER, skipped INTEGER,
        unmatched_rules TEXT, held TEXT, decision TEXT, decided_by TEXT, decided_at BIGINT,
        decided_urls BIGINT, decided_cost BIGINT,
        planned_at BIGINT, planned_urls INTEGER, planned_batches INTEGER, planned_cost BIGINT, price_basis TEXT,
        price_per_url BIGINT, plan_due TEXT, plan_digest TEXT,
        held_urls INTEGER, held_reason_code TEXT, held_reason_params TEXT)`,
      'CREATE UNIQUE INDEX runs_open ON runs (watch_id) WHERE ended_at IS NULL',
      'CREATE INDEX runs_by_watch ON runs (watch_id, started_at)',

      // `baseline` = 1: what this sitemap lists at its next complete visit is adopted, not new. `known` is what
      // the crawler gets back at its next visit, as JSON; NULL until a visit was complete. `matched_rules`: rules of the
      // scope that matched a URL when the sitemap was last read to its end, as a JSON list.
      `CREATE TABLE sitemaps (
        id ${t.id}, watch_id BIGINT NOT NULL, url TEXT NOT NULL, known TEXT, scope TEXT, matched_rules TEXT,
        urls INTEGER NOT NULL DEFAULT 0, baseline INTEGER NOT NULL DEFAULT 0, complete_at BIGINT,
        UNIQUE (watch_id, url))`,
      `CREATE TABLE sitemap_snapshots (sitemap_id BIGINT PRIMARY KEY, entries ${t.bytes} NOT NULL)`,
      // `saved_…`: the bytes and milliseconds of the last transfer; NULL when the sitemap was transferred.
      `CREATE TABLE run_sitemaps (
        run_id BIGINT NOT NULL, sitemap_id BIGINT NOT NULL, verdict TEXT NOT NULL, code TEXT, message TEXT,
        urls INTEGER NOT NULL, new_urls INTEGER NOT NULL, changed INTEGER NOT NULL,
        saved_bytes BIGINT, saved_ms BIGINT, at BIGINT NOT NULL,
        PRIMARY KEY (run_id, sitemap_id))`,
      `CREATE TABLE run_skips (
        run_id BIGINT NOT NULL, sitemap_id BIGINT NOT NULL, reason TEXT NOT NULL, urls INTEGER NOT NULL,
        sample TEXT NOT NULL, PRIMARY KEY (run_id, sitemap_id, reason))`,

      // `due` is why a URL should be bought next; NULL when it should not. `guard_passed`: a guard or you let it
      // pass. Versions are those of src/url/version.ts; NULL: unknown. `version`: the latest that a file shows, which is that of
      // `sitemap_id`; `planned_version`: what the batch buys that holds the URL; `bought_version`: the latest that was bought or
      // adopted, which only rises; `shown_versions`: where several files have shown one that is not bought, the last of each, as
      // JSON by the id of the sitemap. `versions_bought_until`: no version of the URL up to this moment is bought again, because a
      // recovered job bought one, and the service does not say which. `forgotten_at`: since when `url` holds a digest in place of
      // the address, and `fp` its first 64 bits; `gone_run` is then set, 0 where no run did it. `quarantined`: `state` changes
      // often, and Postgres writes the indexes of a row only when a column of an index or of its condition changes.
      `CREATE TABLE urls (
        id ${t.id}, fp BIGINT NOT NULL, watch_id BIGINT NOT NULL, sitemap_id BIGINT NOT NULL, url TEXT NOT NULL,
        version BIGINT, planned_version BIGINT, bought_version BIGINT, shown_versions TEXT,
        first_run BIGINT NOT NULL, changed_run BIGINT, gone_run BIGINT,
        state TEXT NOT NULL, reason_code TEXT, reason_params TEXT, due TEXT, due_at BIGINT,
        guard_passed INTEGER NOT NULL DEFAULT 0, generation INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0, bought_at BIGINT, versions_bought_until BIGINT,
        completed_at BIGINT, forgotten_at BIGINT,
        quarantined BOOLEAN NOT NULL GENERATED ALWAYS AS (state = 'quarantined') STORED)`,
      'CREATE UNIQUE INDEX urls_by_fp ON urls (fp, watch_id)',
      `CREATE INDEX urls_due ON urls (watch_id, url${t.byteOrder}) WHERE due IS NOT NULL`,
      'CREATE INDEX urls_gone ON urls (gone_run) WHERE gone_run IS NOT NULL',
      'CREATE INDEX urls_left ON urls (watch_id) WHERE gone_run IS NOT NULL AND generation > 0 AND (due IS NOT NULL OR quarantined)',
      'CREATE INDEX urls_quarantined ON urls (watch_id, id) WHERE quarantined',
      'CREATE INDEX urls_forgotten ON urls (forgotten_at) WHERE forgotten_at IS NOT NULL',
      `CREATE TABLE gone_candidates (
        watch_id BIGINT NOT NULL, fp BIGINT NOT NULL, PRIMARY KEY (watch_id, fp)) ${t.withoutRowid}`,

      // 'planned': nothing of it is out; 'sending': an attempt is out or its outcome unknown, since `in_doubt_since`;
      // then 'accepted', 'refused' (nothing charged, its URLs went elsewhere) or 'needs_review' (you decide).
      // `absent_at`: when the service's list first did not have it.
      `CREATE TABLE batches (
        id ${t.id}, account_id TEXT NOT NULL, watch_id BIGINT NOT NULL, run_id BIGINT, parent_id BIGINT,
        service TEXT NOT NULL, project TEXT NOT NULL, normalized_project TEXT NOT NULL, base_url TEXT NOT NULL,
        generation INTEGER NOT NULL, idempotency_key TEXT UNIQUE, digest TEXT, tag TEXT,
        urls INTEGER NOT NULL, expected_cost BIGINT, price_basis TEXT NOT NULL,
        state TEXT NOT NULL, reason_code TEXT, reason_params TEXT,
        planned_at BIGINT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, in_doubt_since BIGINT, not_before BIGINT,
        waits_since BIGINT,
        needs_lookup INTEGER NOT NULL DEFAULT 0, if_absent TEXT, absent_at BIGINT,
        reference TEXT, accepted_at BIGINT, charge BIGINT,
        job_state TEXT, polls INTEGER NOT NULL DEFAULT 0, polled_at BIGINT, ended_at BIGINT, settled_at BIGINT,
        completed INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0)`,
      `CREATE INDEX batches_waiting ON batches (account_id, id) WHERE state IN ('planned', 'sending')`,
      'CREATE INDEX batches_in_doubt ON batches (account_id) WHERE in_doubt_since IS NOT NULL',
      `CREATE INDEX batches_in_review ON batches (account_id) WHERE state = 'needs_review'`,
      // Where a job is in the service's list.
      'CREATE INDEX batches_by_acceptance ON batches (account_id, accepted_at) WHERE accepted_at IS NOT NULL',
      `CREATE INDEX batches_followed ON batches (account_id, accepted_at)
        WHERE state = 'accepted' AND settled_at IS NULL`,
      'CREATE INDEX batches_by_run ON batches (run_id)',
      // Jobs that ended with URLs without a result, because something of the answer could not be read. `found`: what, as JSON;
      // `tried`: the readings it was read with, each between spaces; `asked`: the reading it is to be read with again.
      `CREATE TABLE unread_jobs (
        batch_id BIGINT PRIMARY KEY, account_id TEXT NOT NULL, found TEXT NOT NULL, tried TEXT NOT NULL, asked TEXT,
        asked_at BIGINT)`,
      'CREATE INDEX unread_jobs_asked ON unread_jobs (account_id) WHERE asked IS NOT NULL',
      'CREATE INDEX batches_by_tag ON batches (account_id, tag) WHERE reference IS NULL AND tag IS NOT NULL',
      'CREATE UNIQUE INDEX batches_by_reference ON batches (account_id, reference) WHERE reference IS NOT NULL',
      'CREATE TABLE batch_bodies (batch_id BIGINT PRIMARY KEY, body TEXT NOT NULL)',
      // `due`: why the URL was due when it was planned; NULL when its job was recovered.
      `CREATE TABLE batch_urls (
        batch_id BIGINT NOT NULL, position INTEGER NOT NULL, url_id BIGINT NOT NULL, generation INTEGER NOT NULL,
        due TEXT, result TEXT, reason TEXT, PRIMARY KEY (batch_id, position)) ${t.withoutRowid}`,
      // A generation of a URL is in one batch and no other: the money invariant, as an index.
      'CREATE UNIQUE INDEX batch_urls_once ON batch_urls (url_id, generation)',
      `CREATE TABLE batch_answers (
        batch_id BIGINT NOT NULL, attempt INTEGER NOT NULL, at BIGINT NOT NULL, kind TEXT NOT NULL,
        charge_state TEXT NOT NULL, status INTEGER, request_id TEXT, message TEXT,
        PRIMARY KEY (batch_id, attempt)) ${t.withoutRowid}`,

      // Movements of money between buckets (src/ledger/journal/entry.ts); entries are never changed. What follows `amount` is
      // of money that is charged or assumed: what caps count, on which UTC day, of how many URLs.
      `CREATE TABLE journal (
        id ${t.id}, account_id TEXT NOT NULL, watch_id BIGINT NOT NULL, run_id BIGINT,
        kind TEXT NOT NULL CHECK (kind IN ('batch', 'check')), of_id BIGINT NOT NULL,
        from_bucket TEXT NOT NULL CHECK (from_bucket IN ('free', 'planned', 'sent', 'charged', 'assumed')),
        to_bucket TEXT NOT NULL CHECK (to_bucket IN ('free', 'planned', 'sent', 'charged', 'assumed')),
        amount BIGINT NOT NULL CHECK (amount >= 0), counted BIGINT NOT NULL CHECK (counted >= 0), day BIGINT NOT NULL,
        urls BIGINT NOT NULL CHECK (urls >= 0), unpriced BIGINT NOT NULL, at BIGINT NOT NULL,
        CHECK (from_bucket <> to_bucket AND (amount > 0 OR urls > 0 OR counted > 0 OR unpriced <> 0)))`,
      'CREATE INDEX journal_by_purchase ON journal (kind, of_id)',
      'CREATE INDEX journal_by_account ON journal (account_id, at)',
      'CREATE INDEX journal_by_run ON journal (run_id)',
      // A purchase is closed once; whatever is learned later corrects that.
      `CREATE UNIQUE INDEX journal_booked_once ON journal (kind, of_id)
        WHERE urls > 0 AND to_bucket IN ('charged', 'assumed') AND from_bucket IN ('free', 'planned', 'sent')`,
      // Each price that is learned searches for them.
      'CREATE INDEX journal_unknown ON journal (account_id) WHERE unpriced > 0',
      // Sums of the journal, kept with each entry. What is planned or sent stands on day 0.
      `CREATE TABLE journal_totals (
        account_id TEXT NOT NULL, day BIGINT NOT NULL, watch_id BIGINT NOT NULL, kind TEXT NOT NULL, bucket TEXT NOT NULL,
        amount BIGINT NOT NULL CHECK (amount >= 0), counted BIGINT NOT NULL CHECK (counted >= 0),
        urls BIGINT NOT NULL CHECK (urls >= 0), unpriced BIGINT NOT NULL,
        PRIMARY KEY (account_id, day, watch_id, kind, bucket)) ${t.withoutRowid}`,
      'CREATE INDEX journal_totals_by_watch ON journal_totals (watch_id, day)',
      // What the balance was while it moved as the journal says, from the first to the last reading of that: a row for each UTC
      // day, and one more whenever it was another than that. `journal_id`: entries up to it are in the balance.
      `CREATE TABLE balance_readings (
        id ${t.id}, account_id TEXT NOT NULL, since BIGINT NOT NULL, at BIGINT NOT NULL, balance BIGINT NOT NULL,
        journal_id BIGINT NOT NULL)`,
      'CREATE INDEX balance_readings_by_account ON balance_readings (account_id, id)',
      // At which prices open money counts; 0: none is known, or configured.
      `CREATE TABLE counted_prices (
        account_id TEXT NOT NULL, service TEXT NOT NULL, price BIGINT NOT NULL, configured BIGINT NOT NULL,
        PRIMARY KEY (account_id, service))`,

      // Completed URLs, by when their next check is due. `check_id`: the check that holds the URL now.
      `CREATE TABLE check_queue (
        url_id BIGINT PRIMARY KEY, watch_id BIGINT NOT NULL, completed_at BIGINT NOT NULL, next_at BIGINT,
        checks INTEGER NOT NULL DEFAULT 0, misses INTEGER NOT NULL DEFAULT 0, last_check_at BIGINT, found_at BIGINT,
        resubmitted INTEGER NOT NULL DEFAULT 0, check_id BIGINT)`,
      'CREATE INDEX check_queue_due ON check_queue (watch_id, next_at) WHERE next_at IS NOT NULL',
      // 'planned', 'sending' as batches; then 'done', 'refused' (nothing charged) or 'stopped' (charge unknown).
      // `every_ms`: how long its URLs wait when its outcome stays unknown.
      `CREATE TABLE checks (
        id ${t.id}, account_id TEXT NOT NULL, watch_id BIGINT NOT NULL, round INTEGER NOT NULL,
        idempotency_key TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, body TEXT NOT NULL, urls INTEGER NOT NULL,
        expected_cost BIGINT NOT NULL, state TEXT NOT NULL, reason_code TEXT, reason_params TEXT, every_ms BIGINT NOT NULL,
        planned_at BIGINT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, in_doubt_since BIGINT, not_before BIGINT,
        waits_since BIGINT,
        request_id TEXT, done_at BIGINT, found INTEGER, usable INTEGER, charge BIGINT)`,
      `CREATE UNIQUE INDEX checks_open ON checks (watch_id) WHERE state IN ('planned', 'sending')`,
      'CREATE INDEX checks_by_watch ON checks (watch_id, id)',
      `CREATE INDEX checks_done ON checks (watch_id, done_at) WHERE state = 'done'`,
      `CREATE TABLE check_urls (
        check_id BIGINT NOT NULL, position INTEGER NOT NULL, url_id BIGINT NOT NULL, result TEXT, detail TEXT,
        at BIGINT, PRIMARY KEY (check_id, position)) ${t.withoutRowid}`,
      'CREATE INDEX check_urls_by_url ON check_urls (url_id)',

      // What is wrong now. `level`: how much of it, where that can grow; `since` is kept while it lasts.
      `CREATE TABLE notice_conditions (
        key TEXT PRIMARY KEY, since BIGINT NOT NULL, level BIGINT NOT NULL, noticed_at BIGINT NOT NULL,
        details TEXT NOT NULL)`,
      // `event_key`: of two workers that see the same transition, one queues its messages.
      `CREATE TABLE notice_queue (
        id ${t.id}, event_key TEXT NOT NULL, channel TEXT NOT NULL, message TEXT NOT NULL, created_at BIGINT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0, not_before BIGINT NOT NULL, ended_at BIGINT, failure TEXT,
        UNIQUE (event_key, channel))`,
      'CREATE INDEX notice_queue_waiting ON notice_queue (not_before, id) WHERE ended_at IS NULL',
      'CREATE INDEX notice_queue_channel ON notice_queue (channel, id) WHERE ended_at IS NULL',
      'CREATE INDEX notice_queue_ended ON notice_queue (ended_at) WHERE ended_at IS NOT NULL',
      // The last run of a watch whose monitor was pinged.
      'CREATE TABLE notice_pings (watch TEXT PRIMARY KEY, run TEXT NOT NULL)',

      ...(t.dialect === 'sqlite' ? [] : ON_POSTGRES),
    ],
  },
  {
    name: 'account stops',
    statements: (t) => {
      const json = t.dialect === 'sqlite' ? 'json_object' : 'json_build_object';
      const value = t.dialect === 'sqlite' ? 'json(hold)' : 'CAST(hold AS json)';
      const insert = 'INSERT INTO account_stops (account_id, kind, since, until, reason_code, reason_params, counted)';
      return [
        // Why an account sends nothing (src/ledger/accounts/stops.ts). `counted`: the batches refused alike, until there is a stop.
        `CREATE TABLE account_stops (
          account_id TEXT NOT NULL,
          kind TEXT NOT NULL CHECK (kind IN ('history', 'key', 'identity', 'refusals', 'unanswered')),
          since BIGINT NOT NULL, until BIGINT, reason_code TEXT NOT NULL, reason_params TEXT, counted TEXT,
          PRIMARY KEY (account_id, kind), CHECK (counted IS NULL OR kind = 'refusals'))`,
        // When the others began was not kept: since the balance was last read, when the service still answered.
        `${insert} SELECT account_id, 'history', held_at, NULL, 'history_hold',
          CAST(${json}('account', account_id, 'hold', ${value}) AS TEXT), NULL FROM account_history WHERE hold IS NOT NULL`,
        `${insert} SELECT id, 'key', coalesce(balance_at, 0), NULL, key_rejected_code, key_rejected_params, NULL
          FROM ledger_accounts WHERE key_rejected_code IS NOT NULL`,
        `${insert} SELECT a.id, 'identity', coalesce(a.balance_at, 0), NULL, 'other_account',
          CAST(${json}('account', a.id, 'recorded', r.value, 'shown', o.value) AS TEXT), NULL
          FROM ledger_accounts AS a JOIN ledger_settings AS o ON o.name = 'account_other_identity/' || a.id
          JOIN ledger_settings AS r ON r.name = 'account_identity/' || a.id`,
        `${insert} SELECT r.account_id, 'refusals', coalesce(a.balance_at, 0), r.until, 'requests_refused',
          CAST(${json}('account', r.account_id, 'status', r.status, 'batches', r.refusals, 'text', r.message, 'until',
            coalesce(r.until, 0)) AS TEXT), r.batches
          FROM account_refusals AS r JOIN ledger_accounts AS a ON a.id = r.account_id`,
        `DELETE FROM ledger_settings WHERE name LIKE 'account_other_identity/%'`,
        ...['account_history', 'account_refusals', 'account_waits'].map((table) => `DROP TABLE ${table}`),
        ...['suspended_code', 'suspended_params', 'key_rejected_code', 'key_rejected_params'].map(
          (column) => `ALTER TABLE ledger_accounts DROP COLUMN ${column}`,
        ),
      ];
    },
  },
  {
    name: 'one row a price',
    statements: () => [
      // `price` and `learned_at`: 0 until it is learned. `counted`: at which price open money counts, with what was `configured` then;
      // 0 where none is known, or none is configured.
      ...['counted', 'configured'].map((column) => `ALTER TABLE prices ADD COLUMN ${column} BIGINT NOT NULL DEFAULT 0`),
      `INSERT INTO prices (account_id, service, price, learned_at, counted, configured)
        SELECT account_id, service, 0, 0, price, configured FROM counted_prices WHERE 1 = 1
        ON CONFLICT (account_id, service) DO UPDATE SET counted = excluded.counted, configured = excluded.configured`,
      'DROP TABLE counted_prices',
    ],
  },
];

const ON_POSTGRES: readonly string[] = [
  // A new version of a row is written in its place, without its indexes, where the page has room.
  'ALTER TABLE urls SET (fillfactor = 50)',
  'ALTER TABLE batch_urls SET (fillfactor = 50)',
  // Fingerprints are random: Postgres would spend 100 ms on compressing 50,000 of them, and store them as they are.
  'ALTER TABLE sitemap_snapshots ALTER COLUMN entries SET STORAGE EXTERNAL',
];
