/** Which version of a Worker Deployment a worker is. */
export interface DeploymentVersion {
  readonly deployment: string;
  readonly build: string;
}

/**
 * current: takes new workflows; ramping: takes a share of them; draining: workflows that began on it still run; drained:
 * none does; inactive: it took none yet.
 */
export const VERSION_STATES = ['current', 'ramping', 'draining', 'drained', 'inactive'] as const;
export type VersionState = (typeof VERSION_STATES)[number];

export interface VersionStatus {
  readonly build: string;
  readonly state: VersionState;
  /** Share of the new workflows, in percent. */
  readonly percent: number;
  /** Workflows that are open on it. The server counts with a delay of seconds. */
  readonly workflows: number;
}
