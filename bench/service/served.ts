/**
 * The service under measurement, in a process of its own. Prints base URL and key; tells CPU, memory and loop delay, and with
 * `turns` the longest turn of the event loop.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { micros } from '../../contract/money.ts';
import { startService } from '../../service/serve.ts';
import { measureTurns } from './turns.ts';

const ample = { limit: 100_000_000, windowMs: 60_000 };
const service = await startService({
  database: process.argv[2]!,
  limits: { minute: ample, hour: ample, day: ample, submissions: ample },
});
const { id } = await service.accounts.createAccount({
  name: `bench ${Date.now()}`,
  balance: micros(1_000_000_000_000_000),
  price: micros(1_000),
});
const { apiKey } = await service.accounts.createKey({ account: id });
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const turns = process.argv[3] === 'turns' ? measureTurns() : null;
process.on('message', () => {
  process.send?.({
    cpu: process.cpuUsage(),
    rss: process.memoryUsage().rss,
    blockedMs: delay.max / 1e6,
    turnMs: turns?.take(),
  });
  delay.reset();
});
process.stdout.write(`${JSON.stringify({ baseUrl: service.baseUrl, key: apiKey })}\n`);
