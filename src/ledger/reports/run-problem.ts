import { type Micros, timesMicros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { type Reason, renderReason } from '../../submission/reason.ts';
import { getPrice } from '../money/price.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';
import { parseHold } from '../runs/run-hold.ts';
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
  readonly urls: number;
  /** What an approval would buy; null when no price is known. */
  readonly cost: Micros | null;
}

export async function getHeldRun(
  ledger: Ledger,
  run: RunId,
  { id, pricePerUrl }: AccountPolicy,
  service: ServiceLevel,
): Promise<HeldRunFigures> {
  const row = await getRun(ledger.db, run);
  const { changed } = await ledger.db.one(sql<{ changed: number | null }>`
    SELECT changed FROM runs WHERE id = ${row.id}`);
  const urls = (row.new_urls ?? 0) + (changed ?? 0);
  const { perUrl } = await getPrice(ledger.db, id, service, pricePerUrl[service]);
  const reasons: readonly Reason[] = row.held === null ? [] : parseHold(row.held).reasons;
  return {
    since: row.started_at,
    reasons: reasons.map(renderReason),
    urls,
    cost: perUrl === null ? null : timesMicros(perUrl, urls),
  };
}
