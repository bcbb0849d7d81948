import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../../src/cli/demo/processes.ts';

/** A program of ours that is killed without a warning and started again, as often as a schedule wants. */
export interface Program {
  /** SIGKILL: nothing is finished or flushed. Started again after the pause. */
  crash(pauseMs: number): Promise<void>;
  /** The same, and started again when `work` is done. */
  crashDuring(work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

const START_MS = 180_000;
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export async function keepProgram(entry: string, args: readonly string[], readyRecord: string): Promise<Program> {
  let stopping = false;
  let starting: Promise<ChildProcess> | null = null;
  let child = await start();

  /** What a program needs may be unavailable, the Temporal server above all: it is retried. */
  async function start(): Promise<ChildProcess> {
    for (const end = Date.now() + START_MS; ; await sleep(300)) {
      try {
        const started = await startProgram(entry, args, ({ type }) => type === readyRecord);
        children.add(started);
        started.once('exit', () => {
          children.delete(started);
          // One that ends by itself is started again, as a supervisor would.
          if (!stopping && starting === null) void again(0);
        });
        return started;
      } catch (error) {
        if (stopping || Date.now() > end) throw error;
      }
    }
  }

  async function again(pauseMs: number, work: () => Promise<void> = async () => undefined): Promise<void> {
    starting ??= sleep(pauseMs)
      .then(work)
      .then(start)
      .finally(() => {
        starting = null;
      });
    child = await starting;
  }

  async function kill(): Promise<void> {
    await starting;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async function crash(pauseMs: number, work?: () => Promise<void>): Promise<void> {
    await starting;
    const killed = child;
    const gone = once(killed, 'exit');
    const killing = killed.exitCode === null && killed.signalCode === null;
    if (killing) killed.kill('SIGKILL');
    await again(pauseMs, async () => {
      if (killing) await gone;
      await work?.();
    });
  }

  return {
    crash: (pauseMs) => crash(pauseMs),
    crashDuring: (work) => crash(0, work),
    async stop() {
      stopping = true;
      await kill();
    },
  };
}
