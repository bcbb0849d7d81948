import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import { nextGeneration } from '../../submission/generations.ts';
import { isSameReason, parseReason, type Reason, type StoredReason, toStoredReason } from '../../submission/reason.ts';
import { getStart, isLater } from '../../url/version.ts';
import { type DueReason, type DueRow, isDueNow } from '../pages/due.ts';
import type { WatchPolicy } from '../policy.ts';
import type { LedgerUrlState } from '../url-state.ts';
import { getStartSql, isLaterSql } from '../version-sql.ts';

/** The decision of the resubmission rules on a due URL. */
export type DueDecision =
  | { readonly kind: 'due' }
  /** Its reason is void: it is not bought for it. */
  | { readonly kind: 'drop'; readonly reason: Reason }
  /** It failed more often than the watch buys it again. */
  | { readonly kind: 'quarantine'; readonly reason: Reason }
  /** Not before then, or not yet for a reason that passes by itself. */
  | { readonly kind: 'later'; readonly at: number | null; readonly reason?: Reason };

/**
 * Whether another watch of the account has this URL: it was bought there in this form, a batch there holds it, or it is
 * in quarantine there.
 */
export type OtherWatch = 'bought' | 'planned' | 'quarantined' | null;

/** A URL that another watch has planned is considered again after this long: that batch may be cancelled. */
const PLANNED_ELSEWHERE_MS = 3_600_000;

/** The settings of a watch that decide on its due URLs. */
export type DuePolicy = Pick<WatchPolicy, 'resubmit' | 'retryFailed'>;

/**
 * Decides without money: a changed page that the watch does not resubmit, one whose change was taken back, one that
 * changed before a job that `courier recover` took in, one bought too recently, one that failed under a watch that was not configured, and one that another watch of the account buys or
 * has in quarantine. Pure.
 */
export function decideDue(
  row: DueRow,
  { resubmit, retryFailed }: DuePolicy,
  other: OtherWatch,
  now: number,
): DueDecision {
  // Only then: a plan decides on a million rows.
  const reason = row.reason_code === 'failed_without_watch' ? parseReason(row) : null;
  if (row.due === 'retry' && reason?.code === 'failed_without_watch') {
    const next = nextGeneration(reason.failures, reason.failedAt, retryFailed, reason.text);
    if (next.kind === 'quarantine') return next;
    return decideDue({ ...row, due_at: next.notBefore, reason_code: null }, { resubmit, retryFailed }, other, now);
  }
  if (row.due === 'changed') {
    if (!resubmit.onLastmodChange) return { kind: 'drop', reason: { code: 'lastmod_not_resubmitted' } };
    if (row.bought_version !== null && row.version !== null && !isLater(row.version, row.bought_version)) {
      return { kind: 'drop', reason: { code: 'lastmod_bought' } };
    }
    if (isBoughtByRecoveredJob(row)) return { kind: 'drop', reason: { code: 'changed_before_job' } };
  }
  if (other === 'bought') return { kind: 'drop', reason: { code: 'bought_by_other_watch' } };
  if (other === 'quarantined') return { kind: 'drop', reason: { code: 'quarantined_by_other_watch' } };
  // What waited for the batch of another watch is free as soon as that batch no longer has it.
  const at = row.reason_code === 'planned_by_other_watch' ? null : row.due_at;
  const keepsTime = row.due === 'retry' && !isDueNow({ ...row, due_at: at }, now);
  if (other === 'planned' && !keepsTime) {
    return { kind: 'later', at: now + PLANNED_ELSEWHERE_MS, reason: { code: 'planned_by_other_watch' } };
  }
  if (row.due === 'changed') {
    const notBefore = row.bought_at === null ? null : row.bought_at + resubmit.notWithinMs;
    if (notBefore !== null && notBefore > now) return { kind: 'later', at: notBefore };
    // The time that an earlier setting gave: the setting of today counts.
    return isDueNow({ ...row, due_at: null }, now) ? { kind: 'due' } : { kind: 'later', at: null };
  }
  return isDueNow({ ...row, due_at: at }, now) ? { kind: 'due' } : { kind: 'later', at };
}

/** The service does not say which version its job bought: every one of that time counts as bought. */
const isBoughtByRecoveredJob = ({ version, versions_bought_until: until }: DueRow): boolean =>
  version !== null && until !== null && getStart(version) <= until;

/**
 * Whether other watches belong to the account, or did when they were run: only then can another one have bought a URL.
 * Uses runs_by_watch.
 */
export async function hasOtherWatches(db: Queryable, watchId: number): Promise<boolean> {
  const row = await db.get(sql`
    SELECT 1 FROM watches AS mine JOIN watches AS other ON other.id <> mine.id
    WHERE mine.id = ${watchId} AND (other.account_id = mine.account_id OR EXISTS (
      SELECT 1 FROM runs WHERE runs.watch_id = other.id AND runs.account_id = mine.account_id)) LIMIT 1`);
  return row !== undefined;
}

/** The least counts where several watches have the URL. */
const OTHERS: readonly OtherWatch[] = ['bought', 'planned', 'quarantined'];

/** What the account knows of a URL beyond the row of one watch. */
export interface SharedPage {
  readonly other: OtherWatch;
  /** The greatest of any of its rows: the next batch of these URLs needs another key, under whichever watch. */
  readonly generation: number;
  /** When any watch bought it last. */
  readonly boughtAt: number | null;
}

/**
 * Which of these URLs another watch of the account has, or bought with the money of the account before it moved to another
 * one. A URL that was only planned there is not bought: its batch may never be sent, when its watch was renamed or removed.
 * One that an operator left in review there counts as bought: it may be charged. A new or changed one in quarantine there
 * stays in quarantine: the account does not pay for it again. One that is due for another reason, released or failed for
 * example, was planned here before: there counts what was bought since, unless that purchase has failed or is itself to be
 * repeated; one that failed too often there since is not bought here either, unless an operator has released it. Uses urls_by_fp
 * and batch_urls_once.
 */
export async function findSharedPages(
  db: Queryable,
  watchId: number,
  page: readonly DueRow[],
): Promise<ReadonlyMap<number, SharedPage>> {
  if (page.length === 0) return new Map();
  const ids = page.map(({ id }) => id);
  const found = await db.all(selectSharedPages(watchId, ids));
  return new Map(
    found.map(({ id, other, generation, bought_at: boughtAt }) => [
      id,
      { other: other === null ? null : (OTHERS[other] ?? null), generation, boughtAt },
    ]),
  );
}

interface SharedRow {
  readonly id: number;
  readonly other: number | null;
  readonly generation: number;
  readonly bought_at: number | null;
}

export const selectSharedPages = (watchId: number, ids: readonly number[]): Query<SharedRow> => {
  const account = sql`(SELECT account_id FROM watches WHERE id = ${watchId})`;
  const isFound = sql`u.due IN ('new', 'changed')`;
  const hasBought = sql`coalesce(NOT ${isLaterSql('u.version', 'o.bought_version')}
    OR ${getStartSql('u.version')} <= o.versions_bought_until, 1 = 0)`;
  // Seen before that one bought it, and changed since: the first sight of a page is no change, a later date after it is.
  const hasChanged = sql`(u.changed_run IS NOT NULL AND o.bought_at IS NOT NULL
    AND coalesce(${isLaterSql('u.version', 'o.bought_version')}, 1 = 0))`;
  const hasFound = sql`(u.due = 'new' AND NOT ${hasChanged} OR ${hasBought} OR o.state = 'planned'
    OR (o.state = 'quarantined' AND u.generation = 0))`;
  const isSame = sql`(u.version IS NULL OR coalesce(o.bought_version, o.version) IS NULL OR ${hasBought})`;
  const isLeft = sql`(o.state = 'held' AND o.due IS NULL)`;
  const hasGivenUp = sql`(o.state = 'quarantined' AND u.due <> 'released' AND o.bought_at > coalesce(u.bought_at, 0)
    AND ${isSame})`;
  const hasSince = sql`(o.state = 'planned' OR ${hasGivenUp} OR (o.state NOT IN ('failed', 'quarantined')
    AND (o.due IS NULL OR o.due NOT IN ('retry', 'released'))
    AND (${isLeft} OR o.bought_at > coalesce(u.bought_at, 0)) AND ${isSame}))`;
  const hasIt = sql`((o.bought_at IS NOT NULL OR o.state IN ('planned', 'quarantined') OR ${isLeft})
    AND CASE WHEN ${isFound} THEN ${hasFound} ELSE ${hasSince} END)`;
  return sql`
    SELECT r.id, max(o.generation) AS generation, max(o.bought_at) AS bought_at, min(CASE WHEN NOT ${hasIt} THEN NULL
      WHEN o.state = 'quarantined' THEN 2
      WHEN o.state = 'planned' AND (o.bought_at IS NULL OR NOT ${isFound}
        OR (NOT ${hasBought} AND (u.due = 'changed' OR ${hasChanged})))
        THEN 1 ELSE 0 END) AS other
    FROM ${toRows(
      { id: 'bigint' },
      ids.map((id): Row => [id]),
    )} AS r CROSS JOIN urls AS u CROSS JOIN urls AS o CROSS JOIN watches AS w
    WHERE u.id = r.id AND o.fp = u.fp AND o.watch_id <> ${watchId} AND o.url = u.url AND w.id = o.watch_id
      AND o.generation > 0
      AND (w.account_id = ${account} OR EXISTS (
        SELECT 1 FROM batch_urls AS m JOIN batches AS b ON b.id = m.batch_id
        WHERE m.url_id = o.id AND b.account_id = ${account} AND b.reference IS NOT NULL))
    GROUP BY r.id`;
};

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
    case 'quarantine':
      return [toRow(row.id, null, null, 'quarantined', toStoredReason(decision.reason))];
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
