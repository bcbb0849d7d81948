import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId, WatchId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import { getBatch, getBatchAccount } from '../batches/batch-row.ts';
import { toUrlKey } from '../crawl/fingerprint.ts';
import type { Ledger } from '../open-ledger.ts';
import { lockAccount } from '../runs/watches.ts';

export interface Quarantined {
  readonly watch: WatchId;
  readonly url: Url;
  /** The service's, or how often it failed. */
  readonly reason: string;
}

/** URLs that are not bought again until a person releases them, a page at a time. Uses urls_quarantined. */
export async function listQuarantined(
  ledger: Ledger,
  { watch, limit = 100, offset = 0 }: { watch?: WatchId; limit?: number; offset?: number } = {},
): Promise<Quarantined[]> {
  const which = watch === undefined ? sql`1 = 1` : sql`w.name = ${watch}`;
  const rows = await ledger.db.all(sql<Quarantined>`
    SELECT w.name AS watch, u.url, u.reason FROM urls AS u JOIN watches AS w ON w.id = u.watch_id
    WHERE u.state = 'quarantined' AND ${which} ORDER BY u.watch_id, u.id LIMIT ${limit} OFFSET ${offset}`);
  return rows.map((row) => ({ ...row }));
}

/** Lets a URL out of quarantine: the next run plans it as its next generation. Answers whether it was in there. */
export async function releaseUrl(ledger: Ledger, watch: WatchId, url: Url): Promise<boolean> {
  const { changes } = await ledger.db.run(sql`
    UPDATE urls SET state = 'held', reason = 'released by a person', due = 'released', due_at = NULL, failures = 0,
      guard_passed = 1
    WHERE fp = ${toUrlKey(url, ledger.seed)} AND url = ${url} AND state = 'quarantined'
      AND watch_id = (SELECT id FROM watches WHERE name = ${watch})`);
  return changes === 1;
}

/**
 * A person has settled a stopped batch. `release`: its URLs may be bought again, as their next generation: only where
 * the service has confirmed that it charged nothing. `leave`: they stay as they are and are not bought again.
 */
export async function resolveStopped(ledger: Ledger, batch: BatchId, how: 'release' | 'leave'): Promise<boolean> {
  const account = await getBatchAccount(ledger.db, batch);
  return ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    const row = await getBatch(tx, batch);
    if (row.state !== 'needs_review') return false;
    const reason = `${row.reason ?? 'needs_review'}; settled by a person: ${how}`;
    await tx.run(sql`
      UPDATE batches SET state = 'refused', reason = ${reason}, settled_at = ${ledger.now()}, in_doubt_since = NULL
      WHERE id = ${batch}`);
    await release(tx, batch, how);
    return true;
  });
}

async function release(tx: Queryable, batch: BatchId, how: 'release' | 'leave'): Promise<void> {
  const due = how === 'release' ? 'released' : null;
  await tx.run(sql`
    UPDATE urls SET state = 'held', due = ${due}, due_at = NULL, guard_passed = 1,
      reason = ${how === 'release' ? 'released by a person' : 'its batch was stopped; a person left it so'}
    WHERE state IN ('planned', 'submitted') AND id IN (SELECT url_id FROM batch_urls WHERE batch_id = ${batch})`);
}
