import { type ScheduledTask, schedule } from 'node-cron';
import type { Logger } from '../observability/log.ts';

/** Work that is the process's own and needs no durability: a run that is missed is missed. */
export interface Chore {
  readonly name: string;
  /** With a field for seconds, or without. */
  readonly cron: string;
  readonly timezone?: string;
  readonly run: () => Promise<void>;
}

export interface Housekeeping {
  /** Starts no more chores and waits for those that run. */
  close(): Promise<void>;
}

/** Runs each chore on its own schedule, never twice at a time. A failure is logged when it begins, and when it is over. */
export function startHousekeeping(chores: readonly Chore[], log: Logger): Housekeeping {
  const running = new Map<string, Promise<void>>();
  const failing = new Set<string>();

  async function run({ name, run: work }: Chore): Promise<void> {
    try {
      await work();
      if (failing.delete(name)) log.info({ chore: name }, `${name} works again`);
    } catch (error) {
      if (!failing.has(name)) log.warn({ chore: name, error }, `${name} failed; it is tried again on its schedule`);
      failing.add(name);
    }
  }

  const tasks: ScheduledTask[] = chores.map((chore) =>
    schedule(
      chore.cron,
      () => {
        // What the last run still does is not begun twice.
        if (running.has(chore.name)) return;
        const work = run(chore).finally(() => running.delete(chore.name));
        running.set(chore.name, work);
      },
      {
        name: chore.name,
        unref: true,
        suppressMissedWarning: true,
        ...(chore.timezone === undefined ? {} : { timezone: chore.timezone }),
      },
    ),
  );
  return {
    async close() {
      for (const task of tasks) await task.destroy();
      await Promise.all(running.values());
    },
  };
}
