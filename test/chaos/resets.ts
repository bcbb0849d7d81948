import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/sql.ts';
import type { AccountId, IdempotencyKey, LedgerId } from '../../src/submission/ids.ts';
import { dispatcherWorkflowId, trackerWorkflowId } from '../../src/temporal-api/ids.ts';
import { pick } from '../support/seeded.ts';
import { retryThroughOutages } from './killable-temporal.ts';

/** temporal.api.enums.v1.EventType */
const WORKFLOW_TASK_COMPLETED = 7;
/** How long a workflow that runs is searched for; after that one that has ended is reset, which starts it again. */
const SEARCH_MS = 2_000;

/**
 * Resets one workflow to an earlier workflow task, as in the Web UI: a run, an index-check, the
 * dispatcher or a tracker, one that runs where there is one. Whatever it did since then it does again. Returns what was
 * reset; null when there was nothing that could be.
 */
export async function resetSomething(
  client: Client,
  ledger: Database,
  ledgerId: LedgerId,
  started: readonly string[],
  random: () => number,
): Promise<string | null> {
  for (const end = Date.now() + SEARCH_MS; ; await sleep(100)) {
    const late = Date.now() > end;
    const ids = shuffled([...started, ...(await ownIds(ledger, ledgerId))], random);
    for (const workflowId of ids) {
      const hit = await retryThroughOutages(() => reset(client, workflowId, { alsoEnded: late, random }));
      if (hit !== null) return hit;
    }
    if (late) return null;
  }
}

/** The dispatcher, and the trackers of the latest jobs. */
async function ownIds(ledger: Database, ledgerId: LedgerId): Promise<string[]> {
  const batches = await ledger.all(sql<{ key: IdempotencyKey }>`
    SELECT idempotency_key AS key FROM batches WHERE reference IS NOT NULL ORDER BY id DESC LIMIT 5`);
  return [
    dispatcherWorkflowId(ledgerId, 'main' as AccountId),
    ...batches.map(({ key }) => trackerWorkflowId(ledgerId, key)),
  ];
}

function shuffled(ids: readonly string[], random: () => number): string[] {
  return ids
    .map((id) => ({ id, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ id }) => id);
}

async function reset(
  client: Client,
  workflowId: string,
  { alsoEnded, random }: { readonly alsoEnded: boolean; readonly random: () => number },
): Promise<string | null> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const { status } = await handle.describe();
    if (status.name !== 'RUNNING' && !alsoEnded) return null;
    const { events } = await handle.fetchHistory();
    const points = (events ?? []).filter(({ eventType }) => eventType === WORKFLOW_TASK_COMPLETED);
    if (points.length === 0) return null;
    const { eventId } = pick(random, points);
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId },
      reason: 'fault schedule',
      workflowTaskFinishEventId: eventId ?? null,
      requestId: `${workflowId}-${eventId}-${Math.floor(random() * 1e9)}`,
    });
    const was = status.name === 'RUNNING' ? 'running' : 'ended';
    return `${workflowId} (${was}) to event ${eventId} of ${events?.length}`;
  } catch (error) {
    // Not started, or not in a state that can be reset: another is tried. What is an outage is for the caller.
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** NOT_FOUND, INVALID_ARGUMENT, FAILED_PRECONDITION of gRPC, as such or as what the client makes of them. */
function isRefusal(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'WorkflowNotFoundError' || [3, 5, 9].includes((cause as { code?: number }).code ?? -1))
      return true;
  }
  return false;
}
