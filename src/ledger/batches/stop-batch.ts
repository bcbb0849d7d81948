import { sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';
import { lockAccount } from '../runs/watches.ts';
import { getBatch, getBatchAccount } from './batch-row.ts';
import type { AnswerRecorded } from './record-answer.ts';

/** Leaves a batch to a person: nothing more is sent of it, and its URLs are not bought in another one. */
export async function stopBatch(ledger: Ledger, batch: BatchId, reason: string): Promise<AnswerRecorded> {
  const account = await getBatchAccount(ledger.db, batch);
  return ledger.db.tx(async (tx): Promise<AnswerRecorded> => {
    await lockAccount(tx, account);
    const row = await getBatch(tx, batch);
    if (row.state !== 'planned' && row.state !== 'sending') return { kind: 'closed', batch, state: row.state };
    await tx.run(sql`UPDATE batches SET state = 'needs_review', reason = ${reason} WHERE id = ${batch}`);
    return { kind: 'needs_review', batch, reason };
  });
}
