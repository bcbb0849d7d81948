import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { type DevServer, startDevServer } from '../../src/temporal/dev-server.ts';
import { ensureSearchAttributes } from '../../src/temporal/ensure-search-attributes.ts';
import { findTemporalBinary } from '../../src/temporal/server-binary.ts';

/** One Temporal server on one file for all schedules; each has a namespace of its own there. */
export interface KillableTemporal {
  readonly address: string;
  /** The process of now. */
  readonly pid: number;
  client(namespace: string): Promise<Client>;
  /** SIGKILL, and the same server again on its file and port. Schedules that ask at once share one crash. */
  crash(pauseMs: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startKillableTemporal(folder: string): Promise<KillableTemporal> {
  const binary = await findTemporalBinary(() => undefined);
  const file = join(folder, 'temporal.db');
  let server: DevServer = await startDevServer({ binary, file, headless: true });
  const { address, port } = server;
  const connection = await Connection.connect({ address });
  let crashing: Promise<void> | null = null;
  process.on('exit', () => server.process.kill('SIGKILL'));

  async function crash(pauseMs: number): Promise<void> {
    const gone = once(server.process, 'exit');
    server.process.kill('SIGKILL');
    await gone;
    await sleep(pauseMs);
    server = await startDevServer({ binary, file, port, headless: true });
    if (server.port !== port) throw new Error(`port ${port} of the Temporal server was taken while it was down`);
  }

  return {
    address,
    get pid() {
      return server.process.pid ?? 0;
    },
    async client(namespace) {
      await retryThroughOutages(async () => {
        const day = { seconds: 86_400 as unknown as never };
        await connection.workflowService
          .registerNamespace({ namespace, workflowExecutionRetentionPeriod: day })
          .catch((error: { code?: number }) => {
            if (error.code !== ALREADY_EXISTS) throw error;
          });
        await ensureSearchAttributes(connection, namespace);
      });
      return new Client({ connection, namespace });
    },
    crash(pauseMs) {
      crashing ??= crash(pauseMs).finally(() => {
        crashing = null;
      });
      return crashing;
    },
    async stop() {
      await connection.close();
      await server.stop();
    },
  };
}

const ALREADY_EXISTS = 6;
/** DEADLINE_EXCEEDED, NOT_FOUND of a namespace that is not known everywhere yet, INTERNAL, UNAVAILABLE. */
const PASSING = [1, 4, 13, 14];
const OUTAGE_MS = 45_000;

/** What the harness itself asks of a server that it kills. */
export async function retryThroughOutages<T>(ask: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + OUTAGE_MS; ; await sleep(200)) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end || !isPassing(error)) throw error;
    }
  }
}

function isPassing(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (PASSING.includes((cause as { code?: number }).code ?? -1)) return true;
  }
  return /namespace .* is not found/i.test(String(error));
}
