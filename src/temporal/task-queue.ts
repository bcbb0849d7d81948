import type { Connected } from './connect.ts';
import type { DeploymentVersion } from './version-status.ts';

/** A worker's long poll, and a little more: the server lists pollers for minutes after they ended. */
const POLL_MS = 70_000;
/** temporal.api.enums.v1.TaskQueueType */
const QUEUE_TYPE = { workflows: 1, activities: 2 } as const;
/** temporal.api.enums.v1.WorkerVersioningMode */
const VERSIONED = 2;

/** A worker that polls a task queue. */
export interface Poller {
  readonly identity: string;
  /** Its build; null for a worker without Worker Versioning. */
  readonly version: DeploymentVersion | null;
}

export interface TaskQueue {
  readonly pollers: readonly Poller[];
  /** The build that its new tasks go to; null: workers without a build. */
  readonly current: DeploymentVersion | null;
}

/** Who polls a task queue now, and the build that the server sends its new tasks to. */
export async function describeTaskQueue(
  { client, namespace }: Pick<Connected, 'client' | 'namespace'>,
  name: string,
  type: keyof typeof QUEUE_TYPE,
): Promise<TaskQueue> {
  const { pollers, versioningInfo } = await client.workflowService.describeTaskQueue({
    ...{ namespace, taskQueue: { name } },
    taskQueueType: QUEUE_TYPE[type],
  });
  const since = Date.now() - POLL_MS;
  const alive = (pollers ?? []).filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since);
  return {
    pollers: alive.map(({ identity, deploymentOptions }) => ({
      identity: identity ?? 'unknown',
      version: deploymentOptions?.workerVersioningMode === VERSIONED ? toVersion(deploymentOptions) : null,
    })),
    current: toVersion(versioningInfo?.currentDeploymentVersion),
  };
}

interface NamedBuild {
  readonly deploymentName?: string | null;
  readonly buildId?: string | null;
}

function toVersion(named: NamedBuild | null | undefined): DeploymentVersion | null {
  const { deploymentName: deployment, buildId: build } = named ?? {};
  return deployment == null || build == null || build === '' ? null : { deployment, build };
}
