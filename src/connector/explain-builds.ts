import type { Client } from '@temporalio/client';
import type { LedgerId, WatchId } from '../submission/ids.ts';
import { formatInstant } from '../submission/instant.ts';
import type { Connected } from '../temporal/connect.ts';
import { findLastStep, listPinned, type PinnedWorkflow } from '../temporal/pinned-workflows.ts';
import type { DeploymentVersion } from '../temporal/version-status.ts';
import { DUTIES, type Duty } from '../temporal-api/duties.ts';
import { getTaskQueue } from '../temporal-api/ids.ts';
import { findWorkers, getCurrentBuild, isSameBuild, listMissingDuties, type Workers } from './find-workers.ts';
import { OperationError } from './operation-error.ts';

type Temporal = Pick<Connected, 'client' | 'namespace'>;

/** Work that no worker takes. */
export interface BuildProblem {
  /** Null: all of the ledger. */
  readonly watch: WatchId | null;
  /** The build whose workers are missing; null: workers without a build. */
  readonly build: DeploymentVersion | null;
  /** What it is, and what it means for URLs and money; no stop at its end. */
  readonly problem: string;
  /** What ends it; no stop at its end. */
  readonly next: string;
}

/**
 * What nobody works on: what begins now, and each run that is pinned to a build without workers. That no worker runs at all is
 * none where no build is current: with cron that is so between two runs.
 */
export async function findBuildProblems(temporal: Temporal, ledger: LedgerId): Promise<BuildProblem[]> {
  const workers = await findWorkers(temporal, ledger);
  const isCron =
    getCurrentBuild(workers) === null && [...workers.values()].every(({ pollers }) => pollers.length === 0);
  const current = isCron ? null : explainWorkers(workers);
  return [...(current === null ? [] : [current]), ...(await findWaitingRuns(temporal, ledger, workers))];
}

/** Why no worker takes what begins now, or not all of it; null when workers do. */
export function explainWorkers(workers: Workers): BuildProblem | null {
  const missing = listMissingDuties(workers);
  if (missing.length === 0) return null;
  const current = getCurrentBuild(workers);
  const of = { watch: null, build: current };
  const polling = listBuilds(workers);
  const also = polling.length === 0 ? '' : `; workers poll as ${polling.map(formatBuild).join(', ')}`;
  const [first] = polling;
  if (current === null && first !== undefined && missing.includes('workflows')) {
    return {
      ...of,
      problem: `no build is current, so ${NOTHING}${also}`,
      next: `courier deployments promote ${first.deployment} ${first.build}`,
    };
  }
  const start = `start "${formatStart(current, missing)}"`;
  if (missing.length < DUTIES.length) {
    const which = current === null ? 'of this ledger' : `of ${formatBuild(current)}, which is current,`;
    return { ...of, problem: `no worker ${which} does ${missing.join(', ')}`, next: start };
  }
  if (current === null) return { ...of, problem: 'no worker of this ledger is running', next: start };
  const other = polling.find((build) => listMissingDuties(workers, build).length === 0);
  const promote =
    other && `, or send the work to the others: courier deployments promote ${other.deployment} ${other.build}`;
  return {
    ...of,
    problem: `no worker of ${formatBuild(current)} is running, and it is current, so ${NOTHING}${also}`,
    next: `${start}${promote ?? ''}`,
  };
}

const NOTHING = 'nothing begins, is sent or polled, and nothing is charged';

/** More at once are one problem: their build. */
const MOST_RUNS = 20;

/** The runs and index-checks that no worker continues, because they are pinned to a build without workers. */
async function findWaitingRuns(temporal: Temporal, ledger: LedgerId, workers: Workers): Promise<BuildProblem[]> {
  const pinned = await listPinned(temporal, getTaskQueue(ledger));
  const waiting = pinned.filter(({ build }) => listMissingDuties(workers, build).length > 0).slice(0, MOST_RUNS);
  return Promise.all(waiting.map((each) => explainWaiting(temporal, workers, each)));
}

/** Why no worker continues a workflow, by its name and the build that it is pinned to; null when a worker does. */
export async function explainWorkflow(
  temporal: Temporal,
  ledger: LedgerId,
  id: string,
  build: DeploymentVersion | null,
): Promise<BuildProblem | null> {
  const workers = await findWorkers(temporal, ledger);
  if (build === null) return explainWorkers(workers);
  return listMissingDuties(workers, build).length === 0 ? null : explainWaiting(temporal, workers, { id, build });
}

/** What a command says whose run could not begin because an active one waits for its build; null when it does not. */
export async function explainActiveBuild(
  client: Client,
  ledger: LedgerId,
  watch: WatchId,
): Promise<OperationError | null> {
  const temporal = { client, namespace: client.options.namespace };
  const waiting = await findWaitingRuns(temporal, ledger, await findWorkers(temporal, ledger));
  const active = waiting.find((each) => each.watch === watch);
  if (active === undefined) return null;
  const { problem, next } = active;
  return new OperationError('run_active', `${watch}: ${problem}. This run began nothing. To end that, ${next}.`);
}

async function explainWaiting(
  temporal: Temporal,
  workers: Workers,
  { id, build }: PinnedWorkflow,
): Promise<BuildProblem> {
  const missing = listMissingDuties(workers, build);
  const lastStepAt = await findLastStep(temporal, id);
  const [kind, , watch = ''] = id.split('/');
  const without =
    missing.length === DUTIES.length
      ? 'of which no worker is running'
      : `no worker of which does ${missing.join(', ')}`;
  const since = lastStepAt === null ? '' : `; its last step was at ${formatInstant(lastStepAt)}`;
  const meaning =
    kind === 'watch'
      ? `Until then it plans no URL, so nothing more of it is charged, and ${watch} begins no other run`
      : 'Until then it checks no URL, and nothing of it is charged';
  const to = [getCurrentBuild(workers), ...listBuilds(workers)].find(
    (each) => each?.deployment === build.deployment && listMissingDuties(workers, each).length === 0,
  );
  const move = to && `, or move it to build ${to.build}: courier deployments move ${id} --to ${to.build}`;
  return {
    watch: watch as WatchId,
    build,
    problem: `${id} waits for ${formatBuild(build)}, ${without}${since}. ${meaning}`,
    next: `start "${formatStart(build, missing)}"${move ?? ''}`,
  };
}

/** The builds that any worker polls as. */
function listBuilds(workers: Workers): DeploymentVersion[] {
  const builds: DeploymentVersion[] = [];
  for (const { version } of [...workers.values()].flatMap(({ pollers }) => pollers))
    if (version !== null && !builds.some((build) => isSameBuild(build, version))) builds.push(version);
  return builds;
}

export const formatBuild = ({ deployment, build }: DeploymentVersion): string => `build ${build} of ${deployment}`;

/** The command that starts the worker that is missing. */
export function formatStart(version: DeploymentVersion | null, missing: readonly Duty[] = DUTIES): string {
  const duties = missing.length === DUTIES.length ? '' : ` --duty ${missing.join(' ')}`;
  const build = version === null ? '' : ` --deployment ${version.deployment} --build ${version.build}`;
  return `courier worker${duties}${build}`;
}
