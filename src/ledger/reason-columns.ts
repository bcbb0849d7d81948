import { type Query, sql } from '../database/sql.ts';
import { type Reason, toStoredReason } from '../submission/reason.ts';

/** The part of an UPDATE that stores a reason. */
export function assignReason(reason: Reason | null): Query {
  const { reason_code, reason_params } = toStoredReason(reason);
  return sql`reason_code = ${reason_code}, reason_params = ${reason_params}`;
}
