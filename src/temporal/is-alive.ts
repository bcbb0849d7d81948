/** Whether a process of this machine has that id; not necessarily the one that had it before. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
