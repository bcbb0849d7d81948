import { schedule } from 'node-cron';
import type { Logger } from '../observability/log.ts';

/** Work that is the process's own and needs no durability: a run that is missed is missed. */
export type Chore = {
  readonly name: string;
  readonly run: () => Promise<void>;
} & When;

/** A cron line, or an interval of seconds: finding the next time of a line takes more than most chores do. */
type When = { readonly cron: string; readonly timezone?: string } | { readonly everySeconds: number };

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

  function begin(chore: Chore): void {
    // What the last run still does is not begun twice.
    if (running.has(chore.name)) return;
    const work = run(chore).finally(() => running.delete(chore.name));
    running.set(chore.name, work);
  }

  const stops = chores.map((chore) => {
    if ('everySeconds' in chore) {
      const timer = setInterval(() => begin(chore), chore.everySeconds * 1_000).unref();
      return () => clearInterval(timer);
    }
    const { name, cron, timezone } = chore;
    const options = { name, unref: true, suppressMissedWarning: true };
    const task = schedule(cron, () => begin(chore), timezone === undefined ? options : { ...options, timezone });
    return () => task.destroy();
  });
  return {
    async close() {
      for (const stop of stops) await stop();
      await Promise.all(running.values());
    },
  };
}
