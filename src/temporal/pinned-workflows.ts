import type { WorkflowExecutionDescription } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Connected } from './connect.ts';
import { findGrpcStatus } from './grpc-status.ts';
import type { DeploymentVersion } from './version-status.ts';

/** An open workflow that ends on the build that began it. */
export interface PinnedWorkflow {
  readonly id: string;
  readonly build: DeploymentVersion;
}

/** INVALID_ARGUMENT, UNIMPLEMENTED: the server knows no Worker Versioning. */
const UNKNOWN = [3, 12];
/** temporal.api.enums.v1.VersioningBehavior */
const PINNED = 1;
/** temporal.api.enums.v1.EventType: WORKFLOW_TASK_COMPLETED, ACTIVITY_TASK_COMPLETED */
const STEPS = [7, 12];

const VERSION = defineSearchAttributeKey('TemporalWorkerDeploymentVersion', SearchAttributeType.KEYWORD);

/** The open workflows of a task queue that are pinned to a build. The server lists them with a delay of seconds. */
export async function listPinned({ client }: Pick<Connected, 'client'>, taskQueue: string): Promise<PinnedWorkflow[]> {
  const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running' AND TemporalWorkflowVersioningBehavior = 'Pinned'`;
  const pinned: PinnedWorkflow[] = [];
  try {
    for await (const { workflowId, typedSearchAttributes } of client.workflow.list({ query })) {
      const [, deployment, build] = /^([^:]+):(.+)$/.exec(typedSearchAttributes.get(VERSION) ?? '') ?? [];
      if (deployment !== undefined && build !== undefined)
        pinned.push({ id: workflowId, build: { deployment, build } });
    }
    return pinned;
  } catch (error) {
    if (UNKNOWN.includes(findGrpcStatus(error)?.code ?? 0)) return [];
    throw error;
  }
}

/** The build that a workflow is pinned to; null: it goes on where new work goes. */
export function getPinnedBuild({ raw }: Pick<WorkflowExecutionDescription, 'raw'>): DeploymentVersion | null {
  const { behavior, versioningOverride, deploymentVersion } = raw.workflowExecutionInfo?.versioningInfo ?? {};
  const moved = versioningOverride?.pinned?.version;
  const { deploymentName: deployment, buildId: build } = moved ?? deploymentVersion ?? {};
  if (moved == null && behavior !== PINNED) return null;
  return deployment == null || build == null ? null : { deployment, build };
}

/** When a worker last completed a step of a workflow; null where that is not among its last events. */
export async function findLastStep(
  { client, namespace }: Pick<Connected, 'client' | 'namespace'>,
  workflowId: string,
): Promise<number | null> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    ...{ namespace, execution: { workflowId }, maximumPageSize: 100 },
  });
  const step = history?.events?.find(({ eventType }) => STEPS.includes(eventType ?? 0));
  return step?.eventTime == null ? null : Number(step.eventTime.seconds ?? 0) * 1_000;
}
