/** Runs something alone in this process and returns the processor time that it took, in ms: other processes do not count. */
export async function measureCpu(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
