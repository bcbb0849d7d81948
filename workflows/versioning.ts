import type { VersioningBehavior } from '@temporalio/common';
import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';

/**
 * What Worker Versioning does with an execution when another build is promoted. PINNED: it ends on the build that began it.
 * AUTO_UPGRADE: it continues on the promoted one, so a change of its code needs a patch. The server refuses a behavior from a
 * worker that has no version, so such a worker names none.
 */
export function setVersioning<A extends unknown[], R>(
  workflow: (...args: A) => Promise<R>,
  versioningBehavior: VersioningBehavior,
): void {
  setWorkflowOptions(() => (isVersioned() ? { versioningBehavior } : {}), workflow);
}

const isVersioned = (): boolean => (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') !== '';
