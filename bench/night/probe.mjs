// Loaded with NODE_OPTIONS=--import into each Node process of a command: what the process used, appended at its end as one
// line to the file of BENCH_PROBE.
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.env.BENCH_PROBE !== undefined) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const peakKb = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]);
    const line = { program: process.argv[1], cpuSeconds: (user + system) / 1e6, rssMb: (peakKb * 1_024) / 1e6 };
    appendFileSync(process.env.BENCH_PROBE, `${JSON.stringify(line)}\n`);
  });
}
