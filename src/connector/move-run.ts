import { WorkflowNotFoundError } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { ReplayError, Worker } from '@temporalio/worker';
import { createLogger } from '../observability/log.ts';
import type { LedgerId } from '../submission/ids.ts';
import type { Connected } from '../temporal/connect.ts';
import { pinWorkflow, readCode } from '../temporal/deployment.ts';
import { getPinnedBuild } from '../temporal/pinned-workflows.ts';
import { installRuntime } from '../temporal/runtime.ts';
import type { DeploymentVersion } from '../temporal/version-status.ts';
import { formatBuild, formatStart } from './explain-builds.ts';
import { findWorkers, listMissingDuties } from './find-workers.ts';
import { courierWorkflows, digestWorkflows } from './worker.ts';

export type Move =
  | { readonly kind: 'moved'; readonly from: DeploymentVersion; readonly to: DeploymentVersion }
  /** Nothing was changed. */
  | { readonly kind: 'refused'; readonly why: string; readonly next: string };

export interface MoveOptions {
  readonly temporal: Connected;
  readonly ledger: LedgerId;
  /** What reads the payloads of the run. */
  readonly dataConverter: DataConverter;
}

/**
 * Moves a run, or an index-check, from a build without workers to another one of the deployment, where that one's code continues
 * what the run did so far. Only an installation of that build has the code.
 */
export async function moveRun(
  { temporal, ledger, dataConverter }: MoveOptions,
  id: string,
  build: string,
): Promise<Move> {
  const handle = temporal.client.workflow.getHandle(id);
  const described = await handle.describe().catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  });
  if (described?.status.name !== 'RUNNING')
    return refuse(`no run "${id}" is active`, '"courier status" names the runs that wait for a build');
  const from = getPinnedBuild(described);
  if (from === null)
    return refuse(
      `${id} is not pinned to a build`,
      'nothing is to be done: it goes on at the workers that take new work',
    );
  const to = { deployment: from.deployment, build };
  const workers = await findWorkers(temporal, ledger);
  const lacking = listMissingDuties(workers, to);
  if (lacking.length > 0)
    return refuse(
      `${formatBuild(to)} has no worker that does ${lacking.join(', ')}`,
      `start "${formatStart(to, lacking)}"`,
    );
  // A worker that still works on it would continue it between the replay and the move.
  if (listMissingDuties(workers, from).length === 0)
    return refuse(
      `${formatBuild(from)} has workers, which continue the run`,
      'leave it to them. A worker that has stopped counts for a minute and ten seconds: then run the command again',
    );
  const code = await readCode(temporal, to);
  if (code === null)
    return refuse(
      `no worker of ${formatBuild(to)} has recorded which workflow code it runs`,
      'wait a minute if one has just started. It needs the right to write the metadata of its build; its log says so',
    );
  if (code !== (await digestWorkflows()))
    return refuse(
      `this installation of courier has other workflow code than ${formatBuild(to)}, so it cannot try whether that continues the run`,
      `run the command where the workers of build ${build} are installed`,
    );
  const failure = await replay(dataConverter, id, await handle.fetchHistory());
  if (failure !== null)
    return refuse(
      `the workflow code of ${formatBuild(to)} cannot continue the run (${failure})`,
      `start "${formatStart(from)}"`,
    );
  await pinWorkflow(temporal, id, to);
  return { kind: 'moved', from, to };
}

const refuse = (why: string, next: string): Move => ({ kind: 'refused', why, next });

/** Why the workflow code of this installation cannot continue a history; null when it can. */
async function replay(
  dataConverter: DataConverter,
  id: string,
  history: Parameters<typeof Worker.runReplayHistory>[1],
): Promise<string | null> {
  // The SDK logs what does not fit, with a stack trace, and so does the answer of this command.
  installRuntime(createLogger('silent', 'courier'));
  const encodesFailures = dataConverter.failureConverterPath !== undefined;
  try {
    await Worker.runReplayHistory(
      { workflowBundle: await courierWorkflows({ encodesFailures }), dataConverter },
      history,
      id,
    );
    return null;
  } catch (error) {
    const isUnfit = error instanceof ReplayError || (error as Error).name === 'DeterminismViolationError';
    if (isUnfit) return (error as Error).message.split('\n')[0] ?? '';
    throw error;
  }
}
