import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { sql } from '../../src/database/sql.ts';
import type { AccountId } from '../../src/submission/ids.ts';
import { dispatcherWorkflowId } from '../../src/temporal-api/ids.ts';
import type { Harness } from './harness.ts';
import { retryThroughOutages } from './killable-temporal.ts';

/** Waits until nothing is under way any more. Returns what still is when the time is up, else null. */
export async function waitUntilIdle(
  world: Harness,
  started: ReadonlySet<string>,
  deadline: number,
): Promise<string | null> {
  const ended = new Set<string>();
  for (;;) {
    const open = await findOpenWork(world, started, ended);
    if (open === null) return null;
    if (Date.now() > deadline) return open;
    await sleep(250);
  }
}

/** Nothing sets a workflow back any more: what has ended is not asked about again. The dispatcher always is. */
async function findOpenWork(
  { client, ledger, ledgerId }: Harness,
  started: ReadonlySet<string>,
  ended: Set<string>,
): Promise<string | null> {
  const row = await ledger.get(sql<{ waiting: number; open: number }>`
    SELECT coalesce(sum(CASE WHEN state IN ('planned', 'sending') THEN 1 ELSE 0 END), 0) AS waiting,
      coalesce(sum(CASE WHEN state = 'accepted' AND settled_at IS NULL THEN 1 ELSE 0 END), 0) AS open FROM batches`);
  if (row!.waiting > 0) return `${row!.waiting} batches have no answer`;
  if (row!.open > 0) return `${row!.open} jobs have no end`;
  for (const id of started) {
    if (ended.has(id)) continue;
    if (await retryThroughOutages(() => isRunning(client, id))) return `${id} is running`;
    ended.add(id);
  }
  const dispatcher = dispatcherWorkflowId(ledgerId, 'main' as AccountId);
  return (await retryThroughOutages(() => isRunning(client, dispatcher))) ? `${dispatcher} is running` : null;
}

async function isRunning(client: Harness['client'], workflowId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(workflowId).describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/**
 * What another run would continue with: URLs that are to be bought, checks without an answer, watches whose last run did
 * not read every sitemap.
 */
export async function countWorkLeft({ ledger }: Harness): Promise<number> {
  const row = await ledger.get(sql<{ n: number }>`
    SELECT (SELECT count(*) FROM urls WHERE due IS NOT NULL AND gone_run IS NULL)
      + (SELECT count(*) FROM checks WHERE state IN ('planned', 'sending'))
      + (SELECT count(*) FROM runs AS r WHERE coalesce(r.complete, 0) = 0
          AND r.id = (SELECT max(id) FROM runs WHERE watch_id = r.watch_id)) AS n`);
  return row!.n;
}

/** What the Web UI would show of the workflows that have not ended: where each waits, and for what. */
export async function describeOpenWorkflows(client: Harness['client']): Promise<string[]> {
  const lines: string[] = [];
  for await (const { workflowId, type } of client.workflow.list({ query: `ExecutionStatus = 'Running'` })) {
    const { raw, historyLength } = await client.workflow.getHandle(workflowId).describe();
    const pending = (raw.pendingActivities ?? []).map(
      ({ activityType, attempt, lastFailure, state, scheduledTime }) =>
        `${activityType?.name} (state ${state}, attempt ${attempt}, due ${Number(scheduledTime?.seconds)}): ${lastFailure?.message ?? ''}`,
    );
    const task = raw.pendingWorkflowTask;
    lines.push(
      `${type} ${workflowId}, ${historyLength} events: ${pending.join('; ') || 'no activity'}` +
        (task ? `; workflow task in state ${task.state}, attempt ${task.attempt}` : ''),
    );
  }
  return lines;
}
