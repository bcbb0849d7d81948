import { sql } from '../../src/database/sql.ts';
import type { Harness } from './harness.ts';
import { runCommand } from './run-command.ts';

/**
 * Decides on the batches that need review as an operator does: charged when the service has a job of the key, released when
 * it has none. A batch needs review when its watch was renamed or removed while it was in doubt.
 */
export async function resolveReviews({
  folder,
  ledger,
  serviceDb,
}: Harness): Promise<{ readonly resolved: number; readonly breaches: readonly string[] }> {
  const batches = await ledger.all(sql<{ id: number; key: string }>`
    SELECT id, idempotency_key AS key FROM batches WHERE state = 'needs_review'`);
  const breaches: string[] = [];
  for (const { id, key } of batches) {
    const job = await serviceDb.get(sql<{ reference: string }>`
      SELECT reference FROM submissions WHERE idempotency_key = ${key}`);
    const decision = job === undefined ? ['--release'] : ['--charged', job.reference];
    breaches.push(...(await runCommand(folder, 'batches', 'resolve', String(id), ...decision)));
  }
  return { resolved: batches.length, breaches };
}
