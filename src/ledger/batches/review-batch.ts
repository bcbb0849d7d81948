import type { BatchId } from '../../submission/ids.ts';
import { getMoneyRefusal, parseReason, type Reason, renderReason } from '../../submission/reason.ts';
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
    const refused = getMoneyRefusal(before);
    const postponed: Reason = { code: 'lookup_postponed', text, ...(refused === undefined ? {} : { refused }) };
    const reason = (row.needs_lookup === 1 ? before : null) ?? postponed;
    await setAside(tx, row, { wait: { since: ledger.now(), until: notBefore }, reason });
  });
}
