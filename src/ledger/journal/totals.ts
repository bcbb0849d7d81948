import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { type Bucket, FROM_OPEN, INTO_CLOSED, NO_DAY } from './entry.ts';

/** A row of `journal_totals`. */
export interface Total {
  readonly account_id: AccountId;
  readonly day: number;
  readonly watch_id: number;
  readonly kind: 'batch' | 'check';
  readonly bucket: Bucket;
  readonly amount: number;
  readonly counted: number;
  readonly urls: number;
  readonly unpriced: number;
}

/** Totals that are not what the entries come to, by how much they are more. None when all is well. Reads the whole journal. */
export const selectWrongTotals: Query<Total> = sql<Total>`
  SELECT account_id, day, watch_id, kind, bucket, sum(amount) AS amount, sum(counted) AS counted, sum(urls) AS urls,
    sum(unpriced) AS unpriced
  FROM (
    SELECT account_id, day, watch_id, kind, bucket, amount, counted, urls, unpriced FROM journal_totals
    UNION ALL
    SELECT account_id, CASE WHEN ${INTO_CLOSED} THEN day ELSE ${NO_DAY} END, watch_id, kind, to_bucket, -amount,
      CASE WHEN ${INTO_CLOSED} THEN -counted ELSE 0 END, CASE WHEN ${INTO_CLOSED} THEN -urls ELSE 0 END, -unpriced
    FROM journal WHERE to_bucket <> 'free'
    UNION ALL
    SELECT account_id, CASE WHEN ${FROM_OPEN} THEN ${NO_DAY} ELSE day END, watch_id, kind, from_bucket, amount,
      CASE WHEN ${FROM_OPEN} THEN 0 ELSE counted END, CASE WHEN ${FROM_OPEN} THEN 0 ELSE urls END,
      CASE WHEN to_bucket = 'free' THEN -unpriced ELSE 0 END
    FROM journal WHERE from_bucket <> 'free') AS moved
  GROUP BY account_id, day, watch_id, kind, bucket
  HAVING sum(amount) <> 0 OR sum(counted) <> 0 OR sum(urls) <> 0 OR sum(unpriced) <> 0
  ORDER BY account_id, day, watch_id, kind, bucket`;

export const findWrongTotals = (db: Queryable): Promise<Total[]> => db.all(selectWrongTotals);
