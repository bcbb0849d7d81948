import { type Query, sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import { FROM_OPEN, INTO_CLOSED } from '../journal/entry.ts';

/** Whether a purchase of the account was booked after that time. Uses journal_by_account. */
export const isBookedAfter = (account: Query, at: Query): Query => sql`
  EXISTS (SELECT 1 FROM journal AS j WHERE j.account_id = ${account} AND j.at > ${at} AND ${INTO_CLOSED} AND ${FROM_OPEN})`;

/** Whether an attempt of the account may have been charged, and nobody knows. Uses batches_in_doubt and checks_open. */
export const isInDoubt = (account: Query, except: BatchId | null = null): Query => sql`
  (EXISTS (
    SELECT 1 FROM batches AS b
    WHERE b.account_id = ${account} AND b.in_doubt_since IS NOT NULL ${except === null ? sql`` : sql`AND b.id <> ${except}`})
  OR EXISTS (
    SELECT 1 FROM checks AS k
    WHERE k.account_id = ${account} AND k.state IN ('planned', 'sending') AND k.in_doubt_since IS NOT NULL))`;
