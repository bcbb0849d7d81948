/**
 * Measures the longest turn of the event loop, in milliseconds of CPU of its thread: what other processes take does not count.
 * The loop never sleeps meanwhile, so measure nothing else beside it. The kernel counts in steps of some milliseconds.
 */
export function measureTurns(): { take(): number } {
  let longest = 0;
  let last = readCpu();
  const turn = () => {
    const now = readCpu();
    longest = Math.max(longest, now - last);
    last = now;
    setImmediate(turn);
  };
  setImmediate(turn);
  return {
    take() {
      const taken = longest;
      longest = 0;
      return taken;
    },
  };
}

function readCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
