import { createHash } from 'node:crypto';
import type { Database } from '../../src/database/database.ts';
import { insertRows, type Row } from '../../src/database/rows.ts';
import { sql } from '../../src/database/sql.ts';
import { ledgerOver } from '../../src/ledger/open-ledger.ts';
import { WATCH_DAY_COLUMNS } from '../../src/ledger/reports/watch-days.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;

export interface ReportSeed {
  readonly watches: readonly string[];
  /** Listed URLs of each watch at the end. */
  readonly urls: number;
  readonly days: number;
  /** The moment of the report. */
  readonly now: number;
  /** URLs of a batch. */
  readonly batchSize?: number;
  /** The service's words for a failure. */
  readonly reasons?: readonly (string | null)[];
  /** How the URLs of a watch are written. */
  readonly url?: (watch: string, number: number) => string;
}

/** The same for the same words. */
const random = (...words: readonly (string | number)[]): number =>
  createHash('md5').update(words.join()).digest().readUInt32BE(0) / 2 ** 32;

/**
 * Fills a ledger with the rows that months of work leave, written directly: to work through them would take hours.
 * Half of the URLs of a watch were there on the first day, the others came evenly; every tenth is not bought yet.
 */
export async function seedReportLedger(db: Database, seed: ReportSeed): Promise<void> {
  const { watches, urls, days, now, batchSize = 500, reasons = ['HTTP 404', 'blocked by robots.txt', null] } = seed;
  const toUrl = seed.url ?? ((watch, number) => `https://${watch}.example/products/item-${number}`);
  await ledgerOver(db, () => now);
  const start = Math.floor(now / DAY) * DAY - (days - 1) * DAY + 4 * HOUR;
  await db.run(sql`
    INSERT INTO ledger_accounts (id, balance, balance_at) VALUES ('main', 812500000, ${now - HOUR})
    ON CONFLICT (id) DO NOTHING`);
  let url = 0;
  let batch = 0;
  let run = 0;
  let check = 0;
  for (const [at, watch] of watches.entries()) {
    const watchId = at + 1;
    const rows: Record<string, Row[]> = {
      urls: [],
      batches: [],
      members: [],
      journal: [],
      runs: [],
      queue: [],
      checks: [],
      checked: [],
      counted: [],
    };
    const flush = async () => {
      await db.tx(async (tx) => {
        for (const [name, { table, columns }] of Object.entries(TABLES)) {
          await insertRows(tx, table, columns, rows[name] ?? []);
          rows[name] = [];
        }
      });
    };
    await db.run(sql`INSERT INTO watches (id, name, account_id) VALUES (${watchId}, ${watch}, 'main')`);
    await db.run(
      sql`INSERT INTO sitemaps (id, watch_id, url) VALUES (${watchId}, ${watchId}, ${`https://${watch}.example/sitemap.xml`})`,
    );
    let listed = 0;
    let bought = 0;
    let found = 0;
    let everChecked = 0;
    for (let day = 0; day < days; day++) {
      const weight = 0.4 + 1.2 * random(watch, day);
      const arriving = day === 0 ? Math.floor(urls / 2) : Math.floor(((urls / 2) * weight) / days);
      const began = start + day * DAY;
      rows.runs!.push([
        ++run,
        `watch/x/${watch}/${day}`,
        watchId,
        'main',
        '',
        0,
        day === 0 ? 1 : 0,
        began,
        began,
        began + HOUR / 2,
        'finished',
        random(watch, day, 'whole') < 0.95 ? 1 : 0,
        listed + arriving,
        arriving,
        0,
        Math.floor(arriving / 20),
      ]);
      listed += arriving;
      for (let from = 0; from < arriving; from += batchSize) {
        const size = Math.min(batchSize, arriving - from);
        const isLate = day === days - 1 && from > 0;
        const planned = began + HOUR / 2;
        const acceptedAt = planned + Math.floor(HOUR * random(watch, day, from, 'a'));
        const endedAt = acceptedAt + Math.floor(HOUR * (3 + 40 * random(watch, day, from, 'e') ** 2));
        const isAccepted = !isLate && acceptedAt < now;
        const isEnded = isAccepted && endedAt < now;
        batch += 1;
        rows.batches!.push([
          batch,
          'main',
          watchId,
          run,
          'standard',
          'Shop',
          'https://service.example/api/v1',
          'shop',
          1,
          `key-${batch}`,
          size,
          250_000 * size,
          'configured',
          isAccepted ? 'accepted' : 'planned',
          planned,
          isAccepted ? 1 : 0,
          isAccepted ? `IDX-${batch}` : null,
          isAccepted ? acceptedAt : null,
          isAccepted ? 250_000 * size : null,
          isEnded ? 'completed' : isAccepted ? 'processing' : null,
          isEnded ? endedAt : null,
          isEnded ? endedAt : null,
        ]);
        if (isAccepted) rows.journal!.push(toEntry('batch', batch, watchId, run, size, 250_000 * size, acceptedAt));
        const members: number[] = [];
        for (let position = 0; position < size; position++) {
          url += 1;
          const hasFailed = isEnded && url % 37 === 0;
          const state = !isAccepted
            ? 'planned'
            : !isEnded
              ? 'submitted'
              : hasFailed
                ? url % 74 === 0
                  ? 'quarantined'
                  : 'failed'
                : 'completed';
          const isDue = url % 10 === 0;
          const reason = hasFailed ? (reasons[url % reasons.length] ?? null) : null;
          rows.urls!.push([
            url,
            url,
            watchId,
            watchId,
            toUrl(watch, url),
            run,
            isDue ? 'held' : state,
            isDue ? 'new' : null,
            isDue ? 0 : 1,
            isDue || !isAccepted ? null : acceptedAt,
            isDue || !isEnded || hasFailed ? null : endedAt,
            state === 'quarantined' && !isDue ? 'failed_too_often' : null,
            state === 'quarantined' && !isDue ? JSON.stringify({ failures: 3, text: reason }) : null,
          ]);
          if (isDue) continue;
          rows.members!.push([
            batch,
            position,
            url,
            1,
            hasFailed ? 'failed' : isEnded ? 'completed' : null,
            reason,
            'new',
          ]);
          if (isAccepted) bought += 1;
          if (isEnded && !hasFailed) members.push(url);
        }
        const checkedAt = endedAt + 3 * DAY;
        if (isEnded && checkedAt < now) {
          for (let first = 0; first < members.length; first += 50) {
            const some = members.slice(first, first + 50);
            const hits = some.filter((id) => random('found', id) < 0.72);
            check += 1;
            rows.checks!.push([
              check,
              'main',
              watchId,
              check,
              `check-${check}`,
              '',
              '',
              some.length,
              500_000 * some.length,
              'done',
              30 * DAY,
              endedAt,
              1,
              checkedAt,
              hits.length,
              500_000 * some.length,
              1,
            ]);
            rows.journal!.push(toEntry('check', check, watchId, null, some.length, 500_000 * some.length, checkedAt));
            for (const [position, id] of some.entries()) {
              const isHit = hits.includes(id);
              rows.checked!.push([check, position, id, isHit ? 'found' : 'not-found', checkedAt]);
              rows.queue!.push([id, watchId, endedAt, null, 1, isHit ? 0 : 1, checkedAt, isHit ? checkedAt : null]);
              everChecked += 1;
              if (isHit) found += 1;
            }
          }
        }
        if (rows.urls!.length > 20_000) await flush();
      }
      // Counting began ten days ago, as after an upgrade.
      if (day >= days - 10)
        rows.counted!.push([
          watchId,
          Math.floor(began / DAY),
          listed,
          bought,
          bought,
          everChecked,
          found,
          began + HOUR,
        ]);
    }
    await flush();
  }
  await db.run(sql`
    INSERT INTO journal_totals (account_id, day, watch_id, kind, bucket, amount, counted, urls, unpriced)
    SELECT account_id, day, watch_id, kind, to_bucket, sum(amount), sum(counted), sum(urls), 0
    FROM journal GROUP BY account_id, day, watch_id, kind, to_bucket`);
}

/** A charge that the service has reported, as the journal has it when nothing was held for it. */
const toEntry = (
  kind: 'batch' | 'check',
  id: number,
  watchId: number,
  run: number | null,
  urls: number,
  amount: number,
  at: number,
): Row => ['main', watchId, run, kind, id, 'free', 'charged', amount, amount, Math.floor(at / DAY) * DAY, urls, 0, at];

const TABLES = {
  runs: {
    table: 'runs',
    columns: {
      id: 'bigint',
      name: 'text',
      watch_id: 'bigint',
      account_id: 'text',
      scope: 'text',
      baseline: 'bigint',
      first_run: 'bigint',
      started_at: 'bigint',
      touched_at: 'bigint',
      ended_at: 'bigint',
      end_state: 'text',
      complete: 'bigint',
      found: 'bigint',
      new_urls: 'bigint',
      changed: 'bigint',
      gone: 'bigint',
    },
  },
  urls: {
    table: 'urls',
    columns: {
      id: 'bigint',
      fp: 'bigint',
      watch_id: 'bigint',
      sitemap_id: 'bigint',
      url: 'text',
      first_run: 'bigint',
      state: 'text',
      due: 'text',
      generation: 'bigint',
      bought_at: 'bigint',
      completed_at: 'bigint',
      reason_code: 'text',
      reason_params: 'text',
    },
  },
  batches: {
    table: 'batches',
    columns: {
      id: 'bigint',
      account_id: 'text',
      watch_id: 'bigint',
      run_id: 'bigint',
      service: 'text',
      project: 'text',
      base_url: 'text',
      normalized_project: 'text',
      generation: 'bigint',
      idempotency_key: 'text',
      urls: 'bigint',
      expected_cost: 'bigint',
      price_basis: 'text',
      state: 'text',
      planned_at: 'bigint',
      attempts: 'bigint',
      reference: 'text',
      accepted_at: 'bigint',
      charge: 'bigint',
      job_state: 'text',
      ended_at: 'bigint',
      settled_at: 'bigint',
    },
  },
  members: {
    table: 'batch_urls',
    columns: {
      batch_id: 'bigint',
      position: 'bigint',
      url_id: 'bigint',
      generation: 'bigint',
      result: 'text',
      reason: 'text',
      due: 'text',
    },
  },
  journal: {
    table: 'journal',
    columns: {
      account_id: 'text',
      watch_id: 'bigint',
      run_id: 'bigint',
      kind: 'text',
      of_id: 'bigint',
      from_bucket: 'text',
      to_bucket: 'text',
      amount: 'bigint',
      counted: 'bigint',
      day: 'bigint',
      urls: 'bigint',
      unpriced: 'bigint',
      at: 'bigint',
    },
  },
  checks: {
    table: 'checks',
    columns: {
      id: 'bigint',
      account_id: 'text',
      watch_id: 'bigint',
      round: 'bigint',
      idempotency_key: 'text',
      digest: 'text',
      body: 'text',
      urls: 'bigint',
      expected_cost: 'bigint',
      state: 'text',
      every_ms: 'bigint',
      planned_at: 'bigint',
      attempts: 'bigint',
      done_at: 'bigint',
      found: 'bigint',
      charge: 'bigint',
      usable: 'bigint',
    },
  },
  checked: {
    table: 'check_urls',
    columns: { check_id: 'bigint', position: 'bigint', url_id: 'bigint', result: 'text', at: 'bigint' },
  },
  queue: {
    table: 'check_queue',
    columns: {
      url_id: 'bigint',
      watch_id: 'bigint',
      completed_at: 'bigint',
      next_at: 'bigint',
      checks: 'bigint',
      misses: 'bigint',
      last_check_at: 'bigint',
      found_at: 'bigint',
    },
  },
  counted: { table: 'watch_days', columns: WATCH_DAY_COLUMNS },
} as const;
