import type { LedgerId } from '../submission/ids.ts';
import type { Connected } from '../temporal/connect.ts';
import { DUTIES, type Duty, getDutyQueue } from '../temporal-api/duties.ts';
import { getTaskQueue } from '../temporal-api/ids.ts';

/** A worker's long poll, and a little more: the server lists pollers for minutes after they ended. */
const POLL_MS = 70_000;
const WORKFLOW_TASKS = 1;
const ACTIVITY_TASKS = 2;

/** The identities of the workers that poll for each duty of a ledger now. */
export async function findWorkers(
  { client, namespace }: Connected,
  ledger: LedgerId,
): Promise<ReadonlyMap<Duty, readonly string[]>> {
  const found = DUTIES.map(async (duty): Promise<[Duty, readonly string[]]> => {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: getDutyQueue(getTaskQueue(ledger), duty) },
      taskQueueType: duty === 'workflows' ? WORKFLOW_TASKS : ACTIVITY_TASKS,
    });
    const since = Date.now() - POLL_MS;
    const alive = (pollers ?? []).filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since);
    return [duty, [...new Set(alive.map(({ identity }) => identity ?? 'unknown'))]];
  });
  return new Map(await Promise.all(found));
}

/** The duties that no worker does. */
export const listMissingDuties = (workers: ReadonlyMap<Duty, readonly string[]>): Duty[] =>
  DUTIES.filter((duty) => (workers.get(duty) ?? []).length === 0);
