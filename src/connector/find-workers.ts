import type { LedgerId } from '../submission/ids.ts';
import type { Connected } from '../temporal/connect.ts';
import { describeTaskQueue, type TaskQueue } from '../temporal/task-queue.ts';
import type { DeploymentVersion } from '../temporal/version-status.ts';
import { DUTIES, type Duty, getDutyQueue } from '../temporal-api/duties.ts';
import { getTaskQueue } from '../temporal-api/ids.ts';

/** Who polls for each duty of a ledger now, and the build that its new work goes to. */
export type Workers = ReadonlyMap<Duty, TaskQueue>;

export async function findWorkers(
  temporal: Pick<Connected, 'client' | 'namespace'>,
  ledger: LedgerId,
): Promise<Workers> {
  const found = DUTIES.map(async (duty): Promise<[Duty, TaskQueue]> => {
    const queue = getDutyQueue(getTaskQueue(ledger), duty);
    return [duty, await describeTaskQueue(temporal, queue, duty === 'workflows' ? 'workflows' : 'activities')];
  });
  return new Map(await Promise.all(found));
}

/** The build that new work goes to; null: workers without a build. */
export const getCurrentBuild = (workers: Workers): DeploymentVersion | null =>
  workers.get('workflows')?.current ?? null;

/** The duties that no worker does of what runs on a build: by default, on the one that new work goes to. */
export const listMissingDuties = (workers: Workers, build = getCurrentBuild(workers)): Duty[] =>
  DUTIES.filter((duty) => !isDone(workers.get(duty), duty, build));

function isDone(queue: TaskQueue | undefined, duty: Duty, build: DeploymentVersion | null): boolean {
  const { pollers = [], current = null } = queue ?? {};
  // The server sends activities of a build to workers without one too, where no build of their queue is current.
  const isShared = duty !== 'workflows' && current === null;
  return pollers.some(({ version }) => isSameBuild(version, build) || (isShared && version === null));
}

export const isSameBuild = (one: DeploymentVersion | null, other: DeploymentVersion | null): boolean =>
  one?.deployment === other?.deployment && one?.build === other?.build;
