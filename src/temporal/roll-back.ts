import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import { listVersions } from './deployment.ts';
import type { DeploymentVersion } from './version-status.ts';

/** temporal.api.enums.v1.EventType */
const WORKFLOW_TASK_COMPLETED = 7;
/** NOT_FOUND, FAILED_PRECONDITION: the workflow has ended meanwhile. */
const ENDED = [5, 9];
const AT_ONCE = 10;
/** The server lists what a build has continued with a delay, and the newer build ends what it has begun. */
const PASS_MS = 2_000;
/** Passes in a row that must find nothing. */
const QUIET_PASSES = 2;

/**
 * After a roll-back: workflows that a newer build has continued may hold steps that the promoted build does not know, and
 * would stop at their next one. Each is reset to its beginning, from which the promoted build continues with what the ledger
 * says. Pinned workflows stay on the newer build. Returns how many were reset; 0 when no build is newer.
 */
export async function resetAfterRollBack(
  { client, namespace }: { readonly client: Client; readonly namespace: string },
  { deployment, build }: DeploymentVersion,
): Promise<number> {
  const builds = (await listVersions({ client, namespace }, deployment)).map((version) => version.build);
  const newer = builds.slice(0, Math.max(0, builds.indexOf(build)));
  if (newer.length === 0) return 0;
  const versions = newer.map((each) => `"${deployment}:${each}"`).join(', ');
  const query =
    `ExecutionStatus = "Running" AND TemporalWorkflowVersioningBehavior = "AutoUpgrade" AND ` +
    `TemporalWorkerDeploymentVersion IN (${versions})`;
  const done = new Set<string>();
  let resets = 0;
  for (let quiet = 0; quiet < QUIET_PASSES; ) {
    const found: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query }))
      if (!done.has(workflowId)) found.push(workflowId);
    for (const id of found) done.add(id);
    const work = async (): Promise<void> => {
      for (let id = found.shift(); id !== undefined; id = found.shift()) {
        if (await reset({ client, namespace }, id, `rolled back to build ${build}`)) resets++;
      }
    };
    quiet = found.length === 0 ? quiet + 1 : 0;
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (quiet < QUIET_PASSES) await sleep(PASS_MS);
  }
  return resets;
}

/** False when the workflow has ended, or has not done anything yet. */
async function reset(
  { client, namespace }: { readonly client: Client; readonly namespace: string },
  workflowId: string,
  reason: string,
): Promise<boolean> {
  const workflowExecution = { workflowId };
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace,
      execution: workflowExecution,
      maximumPageSize: 20,
    });
    const first = history?.events?.find(({ eventType }) => eventType === WORKFLOW_TASK_COMPLETED);
    if (first?.eventId == null) return false;
    await client.workflowService.resetWorkflowExecution({
      ...{ namespace, workflowExecution, reason },
      workflowTaskFinishEventId: first.eventId,
      requestId: `${workflowId} ${Date.now()}`,
    });
    return true;
  } catch (error) {
    if (isGrpcServiceError(error) && ENDED.includes(error.code)) return false;
    throw error;
  }
}
