import type { ChildProcess } from 'node:child_process';
import { readProcess } from '../../../bench/idle/process-figures.ts';

const TICK_MS = 20;

/**
 * Holds a process to a share of a core until it ends, as a smaller machine of its own would: it is stopped while its
 * processor time is ahead of that share of the time passed. What it does not use is lost, as with a quota of the kernel,
 * which takes rights that a developer may not have. Linux only.
 */
export function holdToShare(child: ChildProcess, share: number): void {
  const pid = child.pid;
  if (pid === undefined) return;
  let allowedMs = readProcess(pid).cpuMs;
  let at = performance.now();
  let isStopped = false;
  const timer = setInterval(() => {
    const cpuMs = readCpu(pid);
    if (cpuMs === null) return;
    const now = performance.now();
    allowedMs = Math.min(allowedMs + (now - at) * share, cpuMs + TICK_MS);
    at = now;
    if (isStopped === cpuMs > allowedMs) return;
    isStopped = !isStopped;
    child.kill(isStopped ? 'SIGSTOP' : 'SIGCONT');
  }, TICK_MS);
  child.once('exit', () => clearInterval(timer));
}

/** Null when it has ended. */
function readCpu(pid: number): number | null {
  try {
    return readProcess(pid).cpuMs;
  } catch {
    return null;
  }
}
