/** Plays the conformance cases on the stand-in for Temporal, and prints what a client sees of each as JSON. */
import '../platform/module-hooks.ts';
import '../platform/install.ts';
import { type Host, Kernel, runOn, setKernel } from '../platform/kernel.ts';

const [{ playCases }, workflows, { activities }, { createClient }, { VirtualTemporal }, { VirtualWorker }] =
  await Promise.all([
    import('./cases.ts'),
    import('./workflows.ts'),
    import('./activities.ts'),
    import('../temporal/client.ts'),
    import('../temporal/server.ts'),
    import('../temporal/worker.ts'),
  ]);

// The time of the machine: what a cron line falls on depends on it.
const kernel = new Kernel(1, Math.floor(performance.timeOrigin));
setKernel(kernel);
const breaches: string[] = [];
const server = new VirtualTemporal({
  ...{ kernel, latency: () => 5, suggestAfter: 4_000 },
  onBreach: (text) => void breaches.push(text),
});
const host: Host = { name: 'worker', alive: true };
const taskQueue = 'conformance';
new VirtualWorker({ server, host, taskQueues: [taskQueue], workflows: workflows as never, activities });
let played: Record<string, unknown> | undefined;
void runOn({ name: 'client', alive: true } as Host, async () => {
  played = await playCases({ client: createClient(server, { name: 'client', alive: true }), taskQueue, suffix: '1' });
});
await kernel.play(() => played !== undefined, 3_600_000);
process.stdout.write(`${JSON.stringify({ played, breaches })}\n`);
