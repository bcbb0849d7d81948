/** Runs something alone in this process and returns the processor time that it took, in ms: other processes do not count. */
export async function measureCpu(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Runs something and returns the processor time of this thread that it took, and the most that one turn of the event loop
 * took of it, in ms.
 */
export async function measureTurns(
  run: () => Promise<unknown>,
): Promise<{ readonly all: number; readonly longest: number }> {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  const from = used();
  let at = from;
  let longest = 0;
  let isOver = false;
  const note = () => {
    const now = used();
    longest = Math.max(longest, now - at);
    at = now;
    if (!isOver) setImmediate(note);
  };
  setImmediate(note);
  await run();
  isOver = true;
  note();
  return { all: used() - from, longest };
}
