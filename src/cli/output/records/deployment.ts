import type { Static } from 'typebox';
import { type CommandOutput, count, defineRecord, oneOf, text } from '../../../cli-kit/record-schema.ts';
import { type DeploymentVersion, VERSION_STATES, type VersionStatus } from '../../../temporal/version-status.ts';

const BuildRecord = defineRecord('build', 'A build of a Worker Deployment.', {
  deployment: text('name of the deployment'),
  build: text('name of the build'),
  state: oneOf(
    VERSION_STATES,
    'current: takes new workflows; ramping: a share of them; draining: workflows that began on it still run; ' +
      'drained: none does; inactive: it took none yet',
  ),
  percent: count('share of the new workflows'),
  workflows: count('workflows that are open on it'),
});

export const toBuildRecord = (deployment: string, version: VersionStatus): Static<typeof BuildRecord> => ({
  type: 'build',
  deployment,
  ...version,
});

const PromotedRecord = defineRecord('promoted', 'A build that takes new workflows from now on.', {
  deployment: text('name of the deployment'),
  build: text('name of the build'),
  percent: count('share of the new workflows'),
  reset: count('workflows that a newer build had continued and that start over, after a roll-back'),
});

export const toPromotedRecord = (
  promoted: DeploymentVersion & { readonly percent: number; readonly reset: number },
): Static<typeof PromotedRecord> => ({ type: 'promoted', ...promoted });

const MovedRunRecord = defineRecord('moved_run', 'A run that another build continues.', {
  run: text('name of the run'),
  deployment: text('name of the deployment'),
  from: text('name of the build that it was pinned to'),
  build: text('name of the build that continues it'),
});

export const toMovedRunRecord = (
  run: string,
  { from, to }: { readonly from: DeploymentVersion; readonly to: DeploymentVersion },
): Static<typeof MovedRunRecord> => ({
  type: 'moved_run',
  run,
  deployment: to.deployment,
  from: from.build,
  build: to.build,
});

export const DEPLOYMENT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'deployments list': { records: [BuildRecord], summary: { builds: count('builds listed') } },
  'deployments promote': {
    records: [PromotedRecord],
    summary: { deployment: text('name of the deployment'), build: text('name of the build') },
  },
  'deployments move': {
    records: [MovedRunRecord],
    summary: { run: text('name of the run'), build: text('name of the build') },
  },
};
