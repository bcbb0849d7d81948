import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** As the launcher starts the service. */
const FLAGS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4'];

export interface Server {
  readonly child: ChildProcess;
  readonly line: string;
}

/** Starts a program of this folder and reads its first line. */
export async function start(file: string, ...args: string[]): Promise<Server> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: FLAGS,
  });
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string];
  return { child, line };
}

export interface Usage {
  readonly cpuMicros: number;
  readonly rss: number;
  /** The longest that the event loop was held since the last question. */
  readonly blockedMs: number;
  /** The CPU of its longest turn, where that is measured. */
  readonly turnMs: number;
}

export async function usage({ child }: Server): Promise<Usage> {
  child.send('usage');
  const [{ cpu, rss, blockedMs = 0, turnMs = 0 }] = (await once(child, 'message')) as [
    { cpu: NodeJS.CpuUsage; rss: number; blockedMs?: number; turnMs?: number },
  ];
  return { cpuMicros: cpu.user + cpu.system, rss, blockedMs, turnMs };
}

export interface Call {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMicrosPerRequest: number;
  readonly rssMb: number;
  readonly blockedMs: number;
  readonly turnMs: number;
}

/** Sends `count` calls over `parallel` connections that stay open. Throws at the first answer of another status. */
export async function load(
  server: Server,
  origin: URL,
  count: number,
  parallel: number,
  statuses: readonly number[],
  call: (index: number) => Call,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: parallel });
  const times: number[] = [];
  let next = 0;
  await usage(server);
  const before = await usage(server);
  const started = performance.now();
  const lane = async () => {
    while (next < count) {
      const { path, method = 'GET', headers = {}, body } = call(next++);
      const from = performance.now();
      const status = await new Promise<number>((resolve, reject) => {
        const asked = request(
          {
            agent,
            host: origin.hostname,
            port: origin.port,
            path,
            method,
            headers: {
              ...headers,
              ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
            },
          },
          (response) => {
            response.resume().on('end', () => resolve(response.statusCode ?? 0));
          },
        );
        asked.on('error', reject).end(body);
      });
      times.push(performance.now() - from);
      if (!statuses.includes(status)) throw new Error(`${method} ${path} answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  const seconds = (performance.now() - started) / 1_000;
  const after = await usage(server);
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    perSecond: count / seconds,
    p50: times[Math.floor(times.length / 2)]!,
    p99: times[Math.floor(times.length * 0.99)]!,
    cpuMicrosPerRequest: (after.cpuMicros - before.cpuMicros) / count,
    rssMb: after.rss / 1024 / 1024,
    blockedMs: after.blockedMs,
    turnMs: after.turnMs,
  };
}
