import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { BatchId, WatchId } from '../../submission/ids.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import { selectFamily } from '../batches/family.ts';
import { isPage } from '../forgotten/stored-forms.ts';
import type { Ledger } from '../open-ledger.ts';
import { assignReason } from '../reason-columns.ts';

export interface Quarantined {
  readonly watch: WatchId;
  readonly url: Url;
  /** The service's, or how often it failed. */
  readonly reason: string;
}

/** URLs that are not bought again until you release them, a page at a time. Uses urls_quarantined. */
export async function listQuarantined(
  ledger: Ledger,
  { watch, limit = 100, offset = 0 }: { watch?: WatchId; limit?: number; offset?: number } = {},
): Promise<Quarantined[]> {
  const which = watch === undefined ? sql`1 = 1` : sql`w.name = ${watch}`;
  const rows = await ledger.db.all(sql<Omit<Quarantined, 'reason'> & StoredReason>`
    SELECT w.name AS watch, u.url, u.reason_code, u.reason_params FROM urls AS u JOIN watches AS w ON w.id = u.watch_id
    WHERE quarantined AND ${which} ORDER BY u.watch_id, u.id LIMIT ${limit} OFFSET ${offset}`);
  return rows.map((row) => ({ watch: row.watch, url: row.url, reason: renderStoredReason(row) ?? '' }));
}

const RELEASED = sql`
  state = 'held', due = 'released', due_at = NULL, failures = 0, guard_passed = 1, ${assignReason({ code: 'released' })}`;

/** Releases a URL: the next run plans its next generation. Returns whether it was in quarantine. */
export async function releaseUrl(ledger: Ledger, watch: WatchId, url: Url): Promise<boolean> {
  const { changes } = await ledger.db.run(sql`
    UPDATE urls SET ${RELEASED}
    WHERE ${isPage(url, ledger.seed)} AND state = 'quarantined'
      AND watch_id = (SELECT id FROM watches WHERE name = ${watch})`);
  return changes === 1;
}

/** Which URLs of a watch to release together. */
export type QuarantineScope =
  /** Those of a batch and of the parts that replaced it. */
  | { readonly kind: 'batch'; readonly batch: BatchId }
  /** Those with this reason, as `listQuarantined` shows it. */
  | { readonly kind: 'reason'; readonly reason: string }
  | { readonly kind: 'all' };

/** Releases the quarantined URLs of a watch that the scope names; returns how many. Uses urls_quarantined. */
export async function releaseQuarantined(ledger: Ledger, watch: WatchId, scope: QuarantineScope): Promise<number> {
  return ledger.db.tx(async (tx) => {
    const conditions = await toConditions(tx, watch, scope);
    let released = 0;
    for (const condition of conditions) {
      const { changes } = await tx.run(sql`
        UPDATE urls SET ${RELEASED}
        WHERE quarantined AND watch_id = (SELECT id FROM watches WHERE name = ${watch}) AND ${condition}`);
      released += changes;
    }
    return released;
  });
}

async function toConditions(tx: Queryable, watch: WatchId, scope: QuarantineScope): Promise<readonly Query[]> {
  if (scope.kind === 'all') return [sql`1 = 1`];
  if (scope.kind === 'batch') {
    return [sql`id IN (SELECT url_id FROM batch_urls WHERE batch_id IN (${selectFamily(scope.batch)}))`];
  }
  const stored = await tx.all(sql<StoredReason>`
    SELECT DISTINCT reason_code, reason_params FROM urls
    WHERE quarantined AND watch_id = (SELECT id FROM watches WHERE name = ${watch})`);
  return stored
    .filter((each) => renderStoredReason(each) === scope.reason)
    .map(
      ({ reason_code, reason_params }) =>
        sql`reason_code = ${reason_code} AND reason_params IS NOT DISTINCT FROM ${reason_params}`,
    );
}
