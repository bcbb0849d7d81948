import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId } from '../../submission/ids.ts';
import { parseReason, type Reason, renderReason, type StoredReason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import { lockBatch } from './batch-queries.ts';
import type { AnswerRecorded } from './record-answer.ts';
import { requireReview, setAside } from './transitions.ts';

/** Marks a batch for review: nothing more of it is sent, and its URLs are not bought in another one. */
export async function reviewBatch(ledger: Ledger, batch: BatchId, reason: Reason): Promise<AnswerRecorded> {
  return ledger.db.tx(async (tx): Promise<AnswerRecorded> => {
    const row = await lockBatch(tx, batch);
    if (row.state !== 'planned' && row.state !== 'sending') return { kind: 'closed', batch, state: row.state };
    await requireReview(tx, row, ledger.now(), reason, { doubt: 'stays' });
    return { kind: 'needs_review', batch, reason: renderReason(reason) };
  });
}

/** Postpones a batch because the service's list cannot be read now; it does not block others. */
export async function postponeLookup(ledger: Ledger, batch: BatchId, notBefore: number, text: string): Promise<void> {
  await ledger.db.tx(async (tx) => {
    const row = await lockBatch(tx, batch);
    if (row.state !== 'planned' && row.state !== 'sending') return;
    // Why it must be looked up is needed when the list does not have it.
    const before = parseReason(row);
    const refused = getRefusal(before);
    const postponed: Reason = { code: 'lookup_postponed', text, ...(refused === undefined ? {} : { refused }) };
    const reason = (row.needs_lookup === 1 ? before : null) ?? postponed;
    await setAside(tx, row, { wait: { since: ledger.now(), until: notBefore }, reason });
  });
}

/** The 402 of its last attempt: a list that cannot be read must not hide that money is missing. */
function getRefusal(reason: Reason | null): string | undefined {
  if (reason?.code === 'insufficient_balance') return reason.text;
  return reason?.code === 'lookup_postponed' ? reason.refused : undefined;
}

/** The first batch that was refused for want of money and cannot be looked up since; null without one. Uses batches_waiting. */
export async function findRefusedForMoney(
  db: Queryable,
  account: AccountId,
): Promise<{ readonly batch: BatchId; readonly reason: Reason } | null> {
  const rows = await db.all(sql<StoredReason & { readonly id: BatchId }>`
    SELECT id, reason_code, reason_params FROM batches
    WHERE account_id = ${account} AND state IN ('planned', 'sending') AND reason_code = 'lookup_postponed' ORDER BY id LIMIT 100`);
  for (const { id, ...stored } of rows) {
    const reason = parseReason(stored);
    if (reason !== null && getRefusal(reason) !== undefined) return { batch: id, reason };
  }
  return null;
}
