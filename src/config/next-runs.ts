import { createTask } from 'node-cron';

/** When a cron line falls next in its zone, as Temporal's schedules see it: all five fields must match. Epoch milliseconds. */
export function listNextRuns(
  { cron, timezone }: { readonly cron: string; readonly timezone: string },
  count: number,
): number[] {
  const task = createTask(cron, () => undefined, { timezone });
  try {
    return task.getNextRuns(count).map((at) => at.getTime());
  } finally {
    void task.destroy();
  }
}
