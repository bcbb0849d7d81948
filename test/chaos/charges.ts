import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';

/** How often the service took each URL: once for each batch it accepted with it. */
export async function countSubmissionsByUrl(serviceDb: Database): Promise<Map<string, number>> {
  const rows = await serviceDb.all(sql<{ url: string; times: number }>`
    SELECT url, count(*) AS times FROM submission_urls GROUP BY url`);
  return new Map(rows.map(({ url, times }) => [url, times]));
}

/** Generations of each URL in accepted batches, each once: a generation in two batches shows as one that the service took more often. */
export async function countGenerationsByUrl(ledger: Database): Promise<Map<string, number>> {
  const rows = await ledger.all(sql<{ url: string; times: number }>`
    SELECT u.url, count(DISTINCT m.generation) AS times FROM batch_urls AS m
    JOIN batches AS b ON b.id = m.batch_id JOIN urls AS u ON u.id = m.url_id
    WHERE b.state = 'accepted' GROUP BY u.url`);
  return new Map(rows.map(({ url, times }) => [url, times]));
}

/** Money taken, in micro-lira. */
export interface Charged {
  readonly jobs: number;
  readonly checks: number;
}

export async function getServiceCharges(serviceDb: Database): Promise<Charged> {
  const row = await serviceDb.get(sql<Charged>`
    SELECT coalesce(sum(CASE WHEN s.reference IS NOT NULL THEN -e.amount ELSE 0 END), 0) AS jobs,
      coalesce(sum(CASE WHEN s.reference IS NULL THEN -e.amount ELSE 0 END), 0) AS checks
    FROM entries AS e LEFT JOIN submissions AS s ON s.reference = e.subject WHERE e.kind <> 'top_up'`);
  return row!;
}

export async function getLedgerCharges(ledger: Database): Promise<Charged> {
  const row = await ledger.get(sql<Charged>`
    SELECT coalesce(sum(CASE WHEN kind = 'batch' THEN amount ELSE 0 END), 0) AS jobs,
      coalesce(sum(CASE WHEN kind = 'check' THEN amount ELSE 0 END), 0) AS checks FROM journal_totals WHERE day > 0`);
  return row!;
}

export async function countServiceRecords(serviceDb: Database): Promise<{ jobs: number; checks: number }> {
  const row = await serviceDb.get(sql<{ jobs: number; checks: number }>`
    SELECT (SELECT count(*) FROM submissions) AS jobs, (SELECT count(*) FROM index_checks) AS checks`);
  return row!;
}
