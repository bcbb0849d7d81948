import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { renderReason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import { type Forecast, isHeldForMoney, parseHold } from '../runs/run-hold.ts';
import { getRun } from '../runs/runs.ts';

/** The first sitemap that a run could not read, with the reason; null when all were read. */
export async function findRunProblem({ db }: Ledger, run: RunId): Promise<string | null> {
  const row = await db.get(sql<{ url: string; message: string }>`
    SELECT s.url, v.message FROM run_sitemaps AS v JOIN sitemaps AS s ON s.id = v.sitemap_id
    WHERE v.run_id = (SELECT id FROM runs WHERE name = ${run}) AND v.verdict = 'incomplete'
    ORDER BY v.sitemap_id LIMIT 1`);
  return row === undefined ? null : `${row.url}: ${row.message}`;
}

export interface HeldRunFigures {
  readonly since: number;
  readonly reasons: readonly string[];
  /** What an approval buys at most. */
  readonly forecast: Forecast;
  /** Some of its URLs. */
  readonly sample: readonly string[];
  /** It waits for a cap, the balance or a price, and goes on by itself with them. */
  readonly isForMoney: boolean;
}

/** A run that waits for a decision; null when the ledger does not hold it. */
export async function findHeldRun(ledger: Ledger, run: RunId): Promise<HeldRunFigures | null> {
  const row = await getRun(ledger.db, run);
  if (row.held === null) return null;
  const hold = parseHold(row.held);
  const { reasons, forecast, sample } = hold;
  const isForMoney = isHeldForMoney(hold);
  return { since: row.started_at, reasons: reasons.map(renderReason), forecast, sample, isForMoney };
}
