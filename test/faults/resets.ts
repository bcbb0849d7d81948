import type { Client } from '@temporalio/client';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId, IdempotencyKey } from '../../src/submission/ids.ts';
import { dispatcherWorkflowId, trackerWorkflowId } from '../../workflows/ids.ts';
import { pick } from './seeded.ts';
import { throughOutages } from './temporal.ts';

/** temporal.api.enums.v1.EventType */
const WORKFLOW_TASK_COMPLETED = 7;

/**
 * Sets one workflow back to an earlier workflow task, as a person does in the Web UI: a run, the dispatcher or a tracker.
 * Whatever it did since then it does again. Returns what was reset, or why nothing was.
 */
export async function resetSomething(
  client: Client,
  ledger: Database,
  runs: readonly string[],
  random: () => number,
): Promise<string> {
  const batches = await ledger.all(
    sql<{ key: IdempotencyKey }>`SELECT idempotency_key AS key FROM batches WHERE reference IS NOT NULL`,
  );
  const kinds = [runs, [dispatcherWorkflowId('main' as AccountId)], batches.map(({ key }) => trackerWorkflowId(key))];
  const workflowId = pick(
    random,
    pick(
      random,
      kinds.filter((ids) => ids.length > 0),
    ),
  );
  try {
    return await throughOutages(() => reset(client, workflowId, random));
  } catch (error) {
    return `${workflowId} could not be reset: ${(error as Error).message}`;
  }
}

async function reset(client: Client, workflowId: string, random: () => number): Promise<string> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const points = (events ?? []).filter(({ eventType }) => eventType === WORKFLOW_TASK_COMPLETED);
  if (points.length === 0) return `${workflowId} has no point to go back to`;
  const point = pick(random, points);
  const at = Number(point.eventId);
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId },
    reason: 'fault schedule',
    workflowTaskFinishEventId: point.eventId ?? null,
    requestId: `${workflowId}-${at}-${Math.floor(random() * 1e9)}`,
  });
  return `${workflowId} to event ${at} of ${events?.length}`;
}
