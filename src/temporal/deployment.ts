import { isGrpcServiceError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Connected } from './connect.ts';
import type { DeploymentVersion, VersionState, VersionStatus } from './version-status.ts';

/** What a request about a deployment needs of a connection. */
type NamespaceClient = Pick<Connected, 'client' | 'namespace'>;

const NOT_FOUND = 5;
/** temporal.api.workflow.v1.VersioningOverride.PinnedOverrideBehavior */
const PINNED_OVERRIDE = 1;
/** temporal.api.enums.v1.WorkerDeploymentVersionStatus */
const STATES: readonly (VersionState | undefined)[] = [
  undefined,
  'inactive',
  'current',
  'ramping',
  'draining',
  'drained',
];

/** The versions of a deployment, newest first; none when no worker of it has polled. */
export async function listVersions(
  { client, namespace }: NamespaceClient,
  deployment: string,
): Promise<VersionStatus[]> {
  const info = await describe({ client, namespace }, deployment);
  const ramping = info?.routingConfig?.rampingDeploymentVersion?.buildId;
  const share = info?.routingConfig?.rampingVersionPercentage ?? 0;
  const versions = (info?.versionSummaries ?? []).toSorted(
    (a, b) => Number(b.createTime?.seconds ?? 0) - Number(a.createTime?.seconds ?? 0),
  );
  return await Promise.all(
    versions.map(async ({ deploymentVersion, status }) => {
      const build = deploymentVersion?.buildId ?? '';
      const state = STATES[status ?? 0] ?? 'inactive';
      const query = `ExecutionStatus = "Running" AND TemporalWorkerDeploymentVersion = "${deployment}:${build}"`;
      const { count } = await client.workflow.count(query);
      const percent = build === ramping ? share : state === 'current' ? 100 - share : 0;
      return { build, state, percent, workflows: count };
    }),
  );
}

/** The build that takes new workflows; null when none was made current. */
export async function findCurrentBuild(connected: NamespaceClient, deployment: string) {
  const info = await describe(connected, deployment);
  return info?.routingConfig?.currentDeploymentVersion?.buildId || null;
}

/**
 * Sends all new workflows to a build (percent 100), or a share of them: the others stay with the current build. The server
 * refuses a build whose workers have not polled, and one that lacks a task queue of the current build.
 */
export async function promoteBuild(
  { client, namespace }: NamespaceClient,
  { deployment, build }: DeploymentVersion,
  percent: number,
): Promise<void> {
  const version = { namespace, deploymentName: deployment, buildId: build, identity: 'courier' };
  if (percent < 100) {
    await client.workflowService.setWorkerDeploymentRampingVersion({ ...version, percentage: percent });
    return;
  }
  await client.workflowService.setWorkerDeploymentCurrentVersion(version);
}

/** The entry of a build's metadata that says which workflow code it is. */
const CODE = 'sitemap-courier/workflows';

/** Records which workflow code a build is. The server knows a build from its first poll on; before, it answers NOT_FOUND. */
export async function recordCode(
  { client, namespace }: NamespaceClient,
  { deployment, build }: DeploymentVersion,
  digest: string,
): Promise<void> {
  await client.workflowService.updateWorkerDeploymentVersionMetadata({
    namespace,
    deploymentVersion: { deploymentName: deployment, buildId: build },
    upsertEntries: { [CODE]: defaultPayloadConverter.toPayload(digest) },
  });
}

/** Which workflow code a build is; null where its workers have not recorded it. */
export async function readCode(
  { client, namespace }: NamespaceClient,
  { deployment, build }: DeploymentVersion,
): Promise<string | null> {
  const { workerDeploymentVersionInfo: info } = await client.workflowService.describeWorkerDeploymentVersion({
    namespace,
    deploymentVersion: { deploymentName: deployment, buildId: build },
  });
  const recorded = info?.metadata?.entries?.[CODE];
  return recorded == null ? null : defaultPayloadConverter.fromPayload<string>(recorded);
}

/** Pins an open workflow to another build, which continues it. */
export async function pinWorkflow(
  { client, namespace }: NamespaceClient,
  workflowId: string,
  { deployment, build }: DeploymentVersion,
): Promise<void> {
  await client.workflowService.updateWorkflowExecutionOptions({
    namespace,
    workflowExecution: { workflowId },
    updateMask: { paths: ['versioning_override'] },
    workflowExecutionOptions: {
      versioningOverride: {
        pinned: { behavior: PINNED_OVERRIDE, version: { deploymentName: deployment, buildId: build } },
      },
    },
  });
}

async function describe({ client, namespace }: NamespaceClient, deploymentName: string) {
  try {
    const found = await client.workflowService.describeWorkerDeployment({ namespace, deploymentName });
    return found.workerDeploymentInfo ?? null;
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return null;
    throw error;
  }
}
