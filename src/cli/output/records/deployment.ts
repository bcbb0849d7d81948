import { type CommandOutput, count, nullable, oneOf, text } from '../../../cli-kit/record-schema.ts';
import { named, plainRecord, recordOf } from '../../../cli-kit/record-table.ts';
import { type DeploymentVersion, VERSION_STATES, type VersionStatus } from '../../../temporal/version-status.ts';

export const toBuildRecord = recordOf<VersionStatus & { readonly deployment: string }>()({
  type: named('build', 'A build of a Worker Deployment.'),
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

export const toPromotedRecord = recordOf<DeploymentVersion & { readonly percent: number; readonly reset: number }>()({
  type: named('promoted', 'A build that takes new workflows from now on.'),
  deployment: text('name of the deployment'),
  build: text('name of the build'),
  percent: count('share of the new workflows'),
  reset: count('workflows that a newer build had continued and that start over, after a roll-back'),
});

interface MovedRun {
  readonly run: string;
  readonly from: DeploymentVersion;
  readonly to: DeploymentVersion;
}

export const toMovedRunRecord = recordOf<MovedRun>()({
  type: named('moved_run', 'A run that another build continues.'),
  run: text('name of the run'),
  deployment: [text('name of the deployment'), ({ to }) => to.deployment],
  from: [text('name of the build that it was pinned to'), ({ from }) => from.build],
  build: [text('name of the build that continues it'), ({ to }) => to.build],
});

export const toListeningRecord = plainRecord({
  type: named('listening', 'The codec server answers from now on.'),
  url: text('`http://HOST:PORT`, the endpoint for the Web UI'),
});

export const toTestMessageRecord = plainRecord({
  type: named('test_message', 'A test message, and whether its channel took it.'),
  channel: text('name of the channel'),
  form: oneOf(['webhook', 'slack', 'teams', 'email'], 'form'),
  failure: nullable(text('why it was not delivered; null: delivered')),
});

export const DEPLOYMENT_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  'deployments list': { records: [toBuildRecord.schema], summary: { builds: count('builds listed') } },
  'deployments promote': {
    records: [toPromotedRecord.schema],
    summary: { deployment: text('name of the deployment'), build: text('name of the build') },
  },
  'deployments move': {
    records: [toMovedRunRecord.schema],
    summary: { run: text('name of the run'), build: text('name of the build') },
  },
  'codec-server': { records: [toListeningRecord.schema], summary: {} },
  'notify test': {
    records: [toTestMessageRecord.schema],
    summary: { sent: count('messages delivered'), failed: count('messages not delivered') },
  },
};
