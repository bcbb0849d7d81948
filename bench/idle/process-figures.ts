import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What a process has used so far. */
export interface ProcessFigures {
  /** Processor time of all its threads, in ms. */
  readonly cpuMs: number;
  /** That of its children that have ended. */
  readonly childrenCpuMs: number;
  readonly rssMb: number;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The fields of /proc/PID/stat that follow the name, which may hold spaces. */
const readStat = (pid: number): string[] => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};

export function readProcess(pid: number): ProcessFigures {
  const stat = readStat(pid);
  const kb = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const toMs = (...fields: readonly number[]) =>
    (fields.reduce((ticks, field) => ticks + Number(stat[field]), 0) / ticksPerSecond) * 1_000;
  return {
    cpuMs: toMs(11, 12),
    childrenCpuMs: toMs(13, 14),
    // A process that has ended and was not waited for has none.
    rssMb: Number(kb ?? 0) / 1_024,
  };
}

/** The processes that a process has started and that still run. */
export function listChildren(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return Number(readStat(pid)[1]) === parent;
    } catch {
      // It ended in between.
      return false;
    }
  });
}
