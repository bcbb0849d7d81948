import { UsageError } from '../../cli-kit/exit-codes.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { type BatchLine, listBatches } from '../../ledger/reports/lists.ts';
import type { BatchId, Reference } from '../../submission/ids.ts';

/** The batch of that number, or of the job of that reference: a reference may be a number as well, and comes second. */
export async function findBatch(ledger: Ledger, name: string): Promise<BatchLine> {
  const number = /^\d{1,15}$/.test(name) ? (Number(name) as BatchId) : null;
  const [byNumber] = number === null ? [] : await listBatches(ledger, { batch: number, limit: 1 });
  const [byReference] = await listBatches(ledger, { reference: name as Reference, limit: 1 });
  const found = byNumber ?? byReference;
  if (found !== undefined) return found;
  throw new UsageError(
    `The ledger has no batch "${name}", by number or by reference. Nothing was changed. "courier batches list" shows them.`,
  );
}
