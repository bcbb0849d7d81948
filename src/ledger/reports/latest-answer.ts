import { sql } from '../../database/sql.ts';
import type { RunId } from '../../submission/ids.ts';
import { parseReason, type Reason, type StoredReason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import { getRun } from '../runs/runs.ts';

/** What holds up a run whose batches wait for their answer, as far as the ledger knows. */
export interface LatestAnswer {
  /** Why a waiting batch of the run is not sent or is retried; null when it can be sent. */
  readonly reason: Reason | null;
  /** When that batch is sent again; null when immediately, or when unknown. */
  readonly nextAttemptAt: number | null;
  /** What the last answer to any attempt of the account was since then; null when there was none. */
  readonly answer: 'key_rejected' | 'no-money' | 'accepted' | 'other' | null;
}

const KINDS: Readonly<Record<string, LatestAnswer['answer']>> = {
  reject_key: 'key_rejected',
  suspend: 'no-money',
  accepted: 'accepted',
};

export async function getLatestAnswer(ledger: Ledger, run: RunId, since: number): Promise<LatestAnswer> {
  const { id, account_id } = await getRun(ledger.db, run);
  const waiting = await ledger.db.get(sql<StoredReason & { not_before: number | null }>`
    SELECT reason_code, reason_params, not_before FROM batches WHERE run_id = ${id} AND state IN ('planned', 'sending') AND reason_code IS NOT NULL
    ORDER BY id LIMIT 1`);
  const last = await ledger.db.get(sql<{ kind: string }>`
    SELECT a.kind FROM batch_answers AS a JOIN batches AS b ON b.id = a.batch_id
    WHERE b.account_id = ${account_id} AND a.at >= ${since} ORDER BY a.at DESC LIMIT 1`);
  return {
    reason: waiting === undefined ? null : parseReason(waiting),
    nextAttemptAt: waiting?.not_before ?? null,
    answer: last === undefined ? null : (KINDS[last.kind] ?? 'other'),
  };
}
