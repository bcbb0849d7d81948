import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import { isSameReason, type Reason, type StoredReason, toStoredReason } from '../../submission/reason.ts';
import type { WatchPolicy } from '../policy.ts';
import type { LedgerUrlState } from '../url-state.ts';
import { type DueReason, type DueRow, isDueNow } from './due.ts';

/** The decision of the resubmission rules on a due URL. */
export type DueDecision =
  | { readonly kind: 'due' }
  /** Its reason is void: it is not bought for it. */
  | { readonly kind: 'drop'; readonly reason: Reason }
  /** Not before then, or not yet for a reason that passes by itself. */
  | { readonly kind: 'later'; readonly at: number | null; readonly reason?: Reason };

/** Whether another watch of the account has this URL: it was bought there in this form, or a batch there holds it. */
export type OtherWatch = 'bought' | 'planned' | null;

/** A URL that another watch has planned is considered again after this long: that batch may be cancelled. */
const PLANNED_ELSEWHERE_MS = 3_600_000;

/**
 * Decides without money: a changed page that the watch does not resubmit, one that has its old lastmod again, one bought
 * too recently, and one that another watch of the account buys. Pure.
 */
export function decideDue(
  row: DueRow,
  { resubmit }: Pick<WatchPolicy, 'resubmit'>,
  other: OtherWatch,
  now: number,
): DueDecision {
  if (row.due === 'changed') {
    if (!resubmit.onLastmodChange) return { kind: 'drop', reason: { code: 'lastmod_not_resubmitted' } };
    if (row.generation > 0 && row.lastmod !== null && row.lastmod === row.bought_lastmod) {
      return { kind: 'drop', reason: { code: 'lastmod_bought' } };
    }
  }
  if (other === 'bought') return { kind: 'drop', reason: { code: 'bought_by_other_watch' } };
  if (other === 'planned') {
    return { kind: 'later', at: now + PLANNED_ELSEWHERE_MS, reason: { code: 'planned_by_other_watch' } };
  }
  if (row.due === 'changed') {
    const at = row.bought_at === null ? null : row.bought_at + resubmit.notWithinMs;
    if (at !== null && at > now) return { kind: 'later', at };
    // The time that an earlier setting gave: the setting of today counts.
    return isDueNow({ ...row, due_at: null }, now) ? { kind: 'due' } : { kind: 'later', at: null };
  }
  // What waited for the batch of another watch is free as soon as that batch no longer has it.
  const at = row.reason_code === 'planned_by_other_watch' ? null : row.due_at;
  return isDueNow({ ...row, due_at: at }, now) ? { kind: 'due' } : { kind: 'later', at };
}

/** Whether the account has other watches: only then can another one have bought a URL. */
export async function hasOtherWatches(db: Queryable, watchId: number): Promise<boolean> {
  const row = await db.get(sql`
    SELECT 1 FROM watches AS mine JOIN watches AS other ON other.account_id = mine.account_id AND other.id <> mine.id
    WHERE mine.id = ${watchId} LIMIT 1`);
  return row !== undefined;
}

/**
 * Which of these new or changed URLs another watch of the account has. A URL that was only planned there is not bought:
 * its batch may never be sent, when its watch was renamed or removed. Uses urls_by_fp.
 */
export async function findOtherWatches(
  db: Queryable,
  watchId: number,
  page: readonly DueRow[],
): Promise<ReadonlyMap<number, OtherWatch>> {
  const rows = page.filter(({ due }) => due === 'new' || due === 'changed').map(({ id }): Row => [id]);
  if (rows.length === 0) return new Map();
  const found = await db.all(sql<{ id: number; planned: number }>`
    SELECT r.id, min(CASE WHEN o.state = 'planned' AND o.bought_at IS NULL THEN 1 ELSE 0 END) AS planned
    FROM ${toRows({ id: 'bigint' }, rows)} AS r CROSS JOIN urls AS u CROSS JOIN urls AS o CROSS JOIN watches AS w
    WHERE u.id = r.id AND o.fp = u.fp AND o.watch_id <> ${watchId} AND o.url = u.url AND w.id = o.watch_id
      AND w.account_id = (SELECT account_id FROM watches WHERE id = ${watchId})
      AND o.generation > 0 AND o.state <> 'quarantined' AND (o.bought_at IS NOT NULL OR o.state = 'planned')
      AND (u.due = 'new' OR o.bought_lastmod = u.lastmod)
    GROUP BY r.id`);
  return new Map(found.map(({ id, planned }) => [id, planned === 1 ? 'planned' : 'bought']));
}

/** Writes what the rules decided of a page, where the row does not say it already. */
export async function writeDecisions(
  db: Queryable,
  decided: readonly { readonly row: DueRow; readonly decision: DueDecision }[],
): Promise<void> {
  const rows = decided.flatMap(({ row, decision }) => toUpdate(row, decision));
  if (rows.length === 0) return;
  const columns = {
    id: 'bigint',
    due: 'text',
    due_at: 'bigint',
    state: 'text',
    reason_code: 'text',
    reason_params: 'text',
  } as const;
  await db.run(sql`
    UPDATE urls SET due = r.due, due_at = r.due_at, state = r.state, reason_code = r.reason_code,
      reason_params = r.reason_params
    FROM ${toRows(columns, rows)} AS r WHERE urls.id = r.id`);
}

function toUpdate(row: DueRow, decision: DueDecision): Row[] {
  switch (decision.kind) {
    case 'drop':
      return [toRow(row.id, null, null, row.state === 'held' ? 'known' : row.state, toStoredReason(decision.reason))];
    case 'later': {
      const reason = decision.reason === undefined ? row : toStoredReason(decision.reason);
      return decision.at === row.due_at && isSameReason(reason, row)
        ? []
        : [toRow(row.id, row.due, decision.at, row.state, reason)];
    }
    case 'due':
      return row.due_at === null ? [] : [toRow(row.id, row.due, null, row.state, row)];
  }
}

const toRow = (
  id: number,
  due: DueReason | null,
  dueAt: number | null,
  state: LedgerUrlState,
  { reason_code, reason_params }: StoredReason,
): Row => [id, due, dueAt, state, reason_code, reason_params];
