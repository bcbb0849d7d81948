import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import type { Outcome } from '../../submission/outcome.ts';
import { type Reason, renderReason, renderStoredReason } from '../../submission/reason.ts';
import type { Quarantine, Split } from '../../submission/refusal.ts';
import { recordStop } from '../accounts/stops.ts';
import type { Ledger } from '../open-ledger.ts';
import type { NewWait } from '../waits.ts';
import { type AcceptanceRecorded, acceptBatch } from './accept-batch.ts';
import { type BatchRow, lockBatch } from './batch-queries.ts';
import { countRefusal } from './refusal-stop.ts';
import { type RefusalRecorded, refuseBatch } from './refuse-batch.ts';
import { requireLookup, requireReview, returnToPlanned, setAside } from './transitions.ts';

/** The response to one attempt, with its outcome from `decideOutcome`. */
export interface AnswerRecord {
  /** As `beginSend` numbered it. */
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly status: number | null;
  readonly requestId: string | null;
  /** Wait before the next attempt in milliseconds, where the outcome names none. */
  readonly backoffMs?: number;
}

export type AnswerRecorded =
  | AcceptanceRecorded
  | RefusalRecorded
  /** The same bytes again, not before then. */
  | { readonly kind: 'retry'; readonly batch: BatchId; readonly notBefore: number }
  /** The account's batches wait for money. */
  | { readonly kind: 'suspended'; readonly batch: BatchId; readonly reason: string }
  /** The account's key is rejected. */
  | { readonly kind: 'key_rejected'; readonly batch: BatchId; readonly reason: string }
  /** `beginSend` next returns 'reconcile': the job is looked up in the list. */
  | { readonly kind: 'in_doubt'; readonly batch: BatchId; readonly reason: string }
  /** The batch was already closed when this response arrived. */
  | { readonly kind: 'closed'; readonly batch: BatchId; readonly state: BatchRow['state'] };

/** Records the outcome of an attempt, once: recording the same attempt again changes nothing. */
export async function recordAnswer(ledger: Ledger, batch: BatchId, answer: AnswerRecord): Promise<AnswerRecorded> {
  const now = ledger.now();
  return ledger.db.tx(async (tx): Promise<AnswerRecorded> => {
    const row = await lockBatch(tx, batch);
    const { outcome } = answer;
    const first = await logAnswer(tx, now, batch, answer);
    if (outcome.kind === 'accepted') return acceptBatch(tx, now, row, outcome);
    if (row.state !== 'sending' || !first) return describeState(row);
    const reason = { code: 'answer', outcome: outcome.kind, text: outcome.message } as const;
    const certain = outcome.chargeState === 'none' && (await isNothingInDoubt(tx, row));
    // biome-ignore lint/nursery/useExhaustiveSwitchCases: what returned above is not among the cases, as the compiler sees.
    switch (outcome.kind) {
      case 'retry': {
        const notBefore = now + (outcome.retryAfterMs ?? answer.backoffMs ?? 0);
        await putBack(tx, row, now, { certain, wait: { since: now, until: notBefore }, reason });
        return { kind: 'retry', batch, notBefore };
      }
      case 'suspend':
        await putBack(tx, row, now, {
          certain,
          wait: afterSuspend(now, row.attempts),
          reason: { code: 'insufficient_balance', text: outcome.message },
        });
        return { kind: 'suspended', batch, reason: outcome.message };
      case 'reject_key':
        await putBack(tx, row, now, { certain, wait: null, reason });
        await recordStop(tx, row.account_id, { kind: 'key', at: now, reason });
        return { kind: 'key_rejected', batch, reason: outcome.message };
      case 'split':
      case 'quarantine':
        if (!certain) return putInDoubt(tx, row, reason, outcome);
        return recordRefused(tx, now, row, outcome, answer.status);
      case 'conflict':
        return putInDoubt(tx, row, reason, outcome.ifAbsent);
      case 'defect':
        return certain ? recordDefect(tx, now, row, reason, answer.status) : putInDoubt(tx, row, reason, null);
    }
  });
}

/** A single batch needs review; when every batch is refused alike, they wait together and the account is stopped. */
async function recordDefect(
  tx: Queryable,
  now: number,
  row: BatchRow,
  reason: Extract<Reason, { code: 'answer' }>,
  status: number | null,
): Promise<AnswerRecorded> {
  const stop = status === null ? null : await countRefusal(tx, now, row, { status, text: reason.text });
  if (stop === null || status === null || row.parent_id !== null) {
    await requireReview(tx, row, now, reason, { doubt: 'none' });
    return { kind: 'needs_review', batch: row.id, reason: reason.text };
  }
  await returnToPlanned(tx, row, now, { wait: null, reason: { code: 'refused_with_others', status } });
  return { kind: 'suspended', batch: row.id, reason: renderReason(stop) };
}

async function recordRefused(
  tx: Queryable,
  now: number,
  row: BatchRow,
  outcome: Split | Quarantine,
  status: number | null,
): Promise<AnswerRecorded> {
  const recorded = await refuseBatch(tx, now, row, outcome);
  if (recorded.kind === 'needs_review' && status !== null) {
    await countRefusal(tx, now, row, { status, text: outcome.message });
  }
  return recorded;
}

/**
 * A batch waits until the balance suffices. When the service reports a sufficient balance and refuses the batch again,
 * retries back off, because they would otherwise use up the account's rate limit.
 */
const afterSuspend = (now: number, attempts: number): NewWait =>
  attempts < 2 ? null : { since: now, until: now + Math.min(60_000 * 2 ** Math.min(attempts - 2, 10), 900_000) };

/** Stores the response; returns whether it is the first for its attempt. */
async function logAnswer(tx: Queryable, now: number, batch: BatchId, answer: AnswerRecord): Promise<boolean> {
  const { attempt, outcome, status, requestId } = answer;
  const message = outcome.kind === 'accepted' ? outcome.warnings.join('; ') : outcome.message;
  const { changes } = await tx.run(sql`
    INSERT INTO batch_answers (batch_id, attempt, at, kind, charge_state, status, request_id, message)
    VALUES (${batch}, ${attempt}, ${now}, ${outcome.kind}, ${outcome.chargeState}, ${status}, ${requestId}, ${message})
    ON CONFLICT (batch_id, attempt) DO NOTHING`);
  return changes === 1;
}

/** Whether every attempt has a response that rules out a charge. A worker that died leaves an attempt without one. */
async function isNothingInDoubt(tx: Queryable, row: BatchRow): Promise<boolean> {
  const answered = await tx.one(sql<{ attempts: number }>`
    SELECT count(*) AS attempts FROM batch_answers
    WHERE batch_id = ${row.id} AND attempt > 0 AND charge_state = 'none'`);
  return answered.attempts >= row.attempts;
}

/** Certain: nothing was charged, so the batch is planned again. Otherwise it stays in doubt. */
async function putBack(
  tx: Queryable,
  row: BatchRow,
  now: number,
  { certain, wait, reason }: { certain: boolean; wait: NewWait; reason: Reason },
): Promise<void> {
  if (certain) await returnToPlanned(tx, row, now, { wait, reason });
  else await setAside(tx, row, { wait, reason });
}

async function putInDoubt(
  tx: Queryable,
  row: BatchRow,
  reason: Extract<Reason, { code: 'answer' }>,
  ifAbsent: Split | Quarantine | null,
): Promise<AnswerRecorded> {
  await requireLookup(tx, row, { reason, ifAbsent: ifAbsent === null ? null : JSON.stringify(ifAbsent) });
  return { kind: 'in_doubt', batch: row.id, reason: reason.text };
}

/** The state of a batch whose response arrived late or twice. */
function describeState(row: BatchRow): AnswerRecorded {
  if (row.state === 'sending' && row.needs_lookup === 1) {
    return { kind: 'in_doubt', batch: row.id, reason: renderStoredReason(row) ?? '' };
  }
  if (row.state === 'sending' || row.state === 'planned') {
    return { kind: 'retry', batch: row.id, notBefore: row.not_before ?? 0 };
  }
  return { kind: 'closed', batch: row.id, state: row.state };
}
