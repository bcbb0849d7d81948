import { type Micros, maxMicros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId, Reference, RunId, WatchId } from '../../submission/ids.ts';
import { type ClosedBucket, FROM_OPEN, INTO_CLOSED, type PurchaseRef } from '../journal/entry.ts';
import { findMoney, sumOfClosed } from '../journal/open-money.ts';

/** A purchase as an audit shows it. */
interface Audited extends PurchaseRef {
  readonly watch: WatchId;
  /** Null for an index-check, and for a job that `courier recover` took in. */
  readonly run: RunId | null;
  readonly urls: number;
  /** Null for an index-check, and while the service has not said it. */
  readonly reference: Reference | null;
  /** Finds the job in the service's list without its reference. */
  readonly tag: string | null;
  /** In the journal. */
  readonly amount: Micros;
}

/** A purchase that the journal has booked, after all corrections. */
export interface BookedPurchase extends Audited {
  readonly bucket: ClosedBucket;
  readonly counted: Micros;
  /** URLs whose charge nobody knows: not in the amount. */
  readonly unpriced: number;
  /** Start of the UTC day on which it counts. */
  readonly day: number;
  /** When the ledger learned of it; of a job that was taken in, when it was created. */
  readonly at: number;
  /** The entry that booked it. */
  readonly entry: number;
  /** It was sent by this ledger: readings of the balance before that entry do not show it. */
  readonly wasSent: boolean;
  /** An operator ended the batch without its job. */
  readonly wasLeft: boolean;
}

/** A purchase of which an attempt may have been charged, and nobody knows. */
export interface PurchaseInDoubt extends Audited {
  readonly since: number;
}

interface BookedRow extends Omit<BookedPurchase, 'bucket' | 'wasSent' | 'wasLeft'> {
  readonly is_charged: number;
  readonly was_sent: number;
  readonly was_left: number;
}

/** Which purchases an audit needs. Times in epoch milliseconds. */
export interface BookedScope {
  /** Nothing was booked earlier that is asked for. */
  readonly since: number;
  /** Days on which they count: from the start of the first to the end of the last. */
  readonly from: number;
  readonly until: number;
  /** Entries that booked them, whatever their day: behind the first, up to the second. */
  readonly entries: readonly [number, number];
}

const CLOSES = sql`(${INTO_CLOSED} AND ${FROM_OPEN})`;

function selectBooked(whose: Query, having: Query): Query<BookedRow> {
  return sql<BookedRow>`
    SELECT c.kind, c.id, w.name AS watch, r.name AS run, c.urls, b.reference, b.tag, c.amount, c.counted, c.unpriced, c.day,
      c.at, c.entry, c.is_charged, c.was_sent,
      CASE WHEN b.reference IS NULL AND b.state = 'refused' THEN 1 ELSE 0 END AS was_left
    FROM (
      SELECT kind, of_id AS id, watch_id, run_id, ${sumOfClosed(sql`urls`)} AS urls, ${sumOfClosed(sql`amount`)} AS amount,
        ${sumOfClosed(sql`counted`)} AS counted, coalesce(sum(unpriced), 0) AS unpriced,
        min(CASE WHEN ${INTO_CLOSED} THEN day END) AS day, min(CASE WHEN ${INTO_CLOSED} THEN at END) AS at,
        min(CASE WHEN ${CLOSES} THEN id END) AS entry, max(CASE WHEN to_bucket = 'charged' THEN 1 ELSE 0 END) AS is_charged,
        max(CASE WHEN ${INTO_CLOSED} AND from_bucket = 'sent' THEN 1 ELSE 0 END) AS was_sent
      FROM journal WHERE ${whose} AND (${INTO_CLOSED} OR NOT ${FROM_OPEN})
      GROUP BY kind, of_id, watch_id, run_id) AS c
    JOIN watches AS w ON w.id = c.watch_id LEFT JOIN runs AS r ON r.id = c.run_id
    LEFT JOIN batches AS b ON c.kind = 'batch' AND b.id = c.id
    WHERE c.urls > 0 AND ${having} ORDER BY c.at, c.kind, c.id`;
}

const toBooked = ({ is_charged, was_sent, was_left, ...row }: BookedRow): BookedPurchase => ({
  ...row,
  bucket: is_charged === 1 ? 'charged' : 'assumed',
  wasSent: was_sent === 1,
  wasLeft: was_left === 1,
});

/** What the journal has booked of an account, the oldest first. Uses journal_by_account, from `since` on. */
export async function listBooked(db: Queryable, account: AccountId, scope: BookedScope): Promise<BookedPurchase[]> {
  const { since, from, until, entries } = scope;
  const [behind, upTo] = entries;
  const rows = await db.all(
    selectBooked(
      sql`account_id = ${account} AND at >= ${since}`,
      sql`((c.day >= ${from} AND c.day < ${until}) OR (c.entry > ${behind} AND c.entry <= ${upTo}))`,
    ),
  );
  return rows.map(toBooked);
}

const toList = (references: readonly Reference[]) =>
  toRows(
    { reference: 'text' },
    references.map((reference): Row => [reference]),
  );

/** The same for these jobs, whenever they were booked. Uses batches_by_reference and journal_by_purchase. */
export async function listBookedJobs(
  db: Queryable,
  account: AccountId,
  references: readonly Reference[],
): Promise<BookedPurchase[]> {
  if (references.length === 0) return [];
  const ids = sql`
    SELECT b.id FROM ${toList(references)} AS l CROSS JOIN batches AS b
    WHERE b.account_id = ${account} AND b.reference = l.reference`;
  return (await db.all(selectBooked(sql`kind = 'batch' AND of_id IN (${ids})`, sql`1 = 1`))).map(toBooked);
}

/** Those of these jobs that an operator declared to be none of this ledger. */
export async function listForeign(
  db: Queryable,
  account: AccountId,
  references: readonly Reference[],
): Promise<ReadonlySet<Reference>> {
  if (references.length === 0) return new Set();
  const rows = await db.all(sql<{ reference: Reference }>`
    SELECT f.reference FROM ${toList(references)} AS l CROSS JOIN foreign_jobs AS f
    WHERE f.account_id = ${account} AND f.reference = l.reference`);
  return new Set(rows.map(({ reference }) => reference));
}

/** Uses batches_in_doubt, checks_open and journal_by_purchase. */
export async function listInDoubt(db: Queryable, account: AccountId): Promise<PurchaseInDoubt[]> {
  const rows = await db.all(sql<Omit<PurchaseInDoubt, 'amount'>>`
    SELECT 'batch' AS kind, b.id, w.name AS watch, r.name AS run, b.urls, b.reference, b.tag, b.in_doubt_since AS since
    FROM batches AS b JOIN watches AS w ON w.id = b.watch_id LEFT JOIN runs AS r ON r.id = b.run_id
    WHERE b.account_id = ${account} AND b.in_doubt_since IS NOT NULL
    UNION ALL
    SELECT 'check' AS kind, k.id, w.name AS watch, NULL AS run, k.urls, NULL AS reference, NULL AS tag,
      k.in_doubt_since AS since
    FROM checks AS k JOIN watches AS w ON w.id = k.watch_id
    WHERE k.account_id = ${account} AND k.state IN ('planned', 'sending') AND k.in_doubt_since IS NOT NULL`);
  const doubts: PurchaseInDoubt[] = [];
  for (const row of rows.toSorted((a, b) => a.since - b.since)) {
    const { planned, sent } = await findMoney(db, row);
    doubts.push({ ...row, amount: maxMicros(planned, sent) });
  }
  return doubts;
}
