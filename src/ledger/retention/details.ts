import type { Queryable } from '../../database/database.ts';
import { type Columns, type Row, toRows } from '../../database/rows.ts';
import { type Query, raw, sql } from '../../database/sql.ts';

/** Details that may be removed when they are old. What they belong to stays: purchases, charges, runs and checks. */
export const DETAILS = ['runs', 'batches', 'index_checks'] as const;
export type DetailKind = (typeof DETAILS)[number];

/** What details belong to, in the order in which it was made. */
export interface Owner {
  readonly id: number;
  readonly made_at: number;
  /** Whether it ended before the details may be removed, and nothing depends on them any more. */
  readonly over: number;
}

export interface DetailTable {
  readonly kind: DetailKind;
  readonly table: string;
  /** The column that names the owner, and the others of the primary key. */
  readonly owner: string;
  readonly key: Columns;
  /** Owners behind an id, a page of them. Reads by primary key. */
  readonly owners: (after: number, endedBefore: number, limit: number) => Query<Owner>;
}

/**
 * A run that came before the last finished one of its watch: what changed since that one is still counted from the
 * details of the runs after it. Uses the primary key and runs_by_watch.
 */
const selectRuns = (after: number, endedBefore: number, limit: number) => sql<Owner>`
  SELECT r.id, r.started_at AS made_at,
    CASE WHEN r.ended_at < ${endedBefore} AND EXISTS (
      SELECT 1 FROM runs AS f
      WHERE f.watch_id = r.watch_id AND f.started_at >= r.started_at AND f.id > r.id AND f.end_state = 'finished')
      THEN 1 ELSE 0 END AS over
  FROM runs AS r WHERE r.id > ${after} ORDER BY r.id LIMIT ${limit}`;

/** The answers to a batch prove that nothing was charged twice until its job has ended and nothing is in doubt. */
const selectBatches = (after: number, endedBefore: number, limit: number) => sql<Owner>`
  SELECT id, planned_at AS made_at,
    CASE WHEN settled_at < ${endedBefore} AND in_doubt_since IS NULL
      AND state IN ('accepted', 'refused', 'cancelled') THEN 1 ELSE 0 END AS over
  FROM batches WHERE id > ${after} ORDER BY id LIMIT ${limit}`;

const selectChecks = (after: number, endedBefore: number, limit: number) => sql<Owner>`
  SELECT id, planned_at AS made_at,
    CASE WHEN done_at < ${endedBefore} AND state IN ('done', 'refused', 'stopped', 'cancelled') THEN 1 ELSE 0 END AS over
  FROM checks WHERE id > ${after} ORDER BY id LIMIT ${limit}`;

export const DETAIL_TABLES: readonly DetailTable[] = [
  { kind: 'runs', table: 'run_sitemaps', owner: 'run_id', key: { sitemap_id: 'bigint' }, owners: selectRuns },
  {
    kind: 'runs',
    table: 'run_skips',
    owner: 'run_id',
    key: { sitemap_id: 'bigint', reason: 'text' },
    owners: selectRuns,
  },
  { kind: 'batches', table: 'unread_jobs', owner: 'batch_id', key: {}, owners: selectBatches },
  { kind: 'batches', table: 'batch_answers', owner: 'batch_id', key: { attempt: 'bigint' }, owners: selectBatches },
  { kind: 'index_checks', table: 'check_urls', owner: 'check_id', key: { position: 'bigint' }, owners: selectChecks },
];

export type Detail = Readonly<Record<string, string | number | null>>;

/** The first owner that has details; null when the table is empty. Uses its primary key. */
export async function findFirstOwner(db: Queryable, { table, owner }: DetailTable): Promise<number | null> {
  const { id } = await db.one(sql<{ id: number | null }>`SELECT min(${raw(owner)}) AS id FROM ${raw(table)}`);
  return id;
}

const isOneOf = (owner: string, ids: readonly number[]): Query => sql`
  ${raw(owner)} IN (SELECT id FROM ${toRows(
    { id: 'bigint' },
    ids.map((id): Row => [id]),
  )} AS chosen)`;

export const selectDetails = ({ table, owner }: DetailTable, ids: readonly number[], limit: number) => sql<Detail>`
  SELECT * FROM ${raw(table)} WHERE ${isOneOf(owner, ids)} LIMIT ${limit}`;

export const countDetails = ({ table, owner }: DetailTable, ids: readonly number[]) => sql<{ rows: number }>`
  SELECT count(*) AS rows FROM ${raw(table)} WHERE ${isOneOf(owner, ids)}`;

/** Removes exactly these, by the primary key. */
export function deleteDetails({ table, owner, key }: DetailTable, details: readonly Detail[]): Query {
  const columns: Columns = { [owner]: 'bigint', ...key };
  const names = Object.keys(columns);
  const rows = details.map((detail): Row => names.map((name) => detail[name] ?? null));
  const list = raw(names.join(', '));
  return sql`DELETE FROM ${raw(table)} WHERE (${list}) IN (SELECT ${list} FROM ${toRows(columns, rows)} AS old)`;
}
