import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DevServer, startDevServer } from '../../temporal/dev-server.ts';
import { findTemporalBinary } from '../../temporal/server-binary.ts';
import type { DemoState } from './state.ts';

/**
 * Starts the demo's Temporal server on its own file. One that a killed demo left behind holds that file: it is ended
 * first, by its process id and only when it is a Temporal server on this very file.
 */
export async function startDemoTemporal(state: DemoState, say: (line: string) => void): Promise<DevServer> {
  const file = state.path('temporal.db');
  const binary = await findTemporalBinary(say);
  await endLeftOver(state, file);
  const { temporalPort, uiPort } = state.memory;
  const server = await startDevServer({ binary, file, port: temporalPort, uiPort });
  state.remember({
    temporalPort: server.port,
    uiPort: server.uiPort ?? uiPort,
    temporalPid: server.process.pid ?? null,
  });
  return server;
}

async function endLeftOver(state: DemoState, file: string): Promise<void> {
  const { temporalPid: pid } = state.memory;
  if (pid === null || !isOurServer(pid, file)) return;
  process.kill(pid, 'SIGTERM');
  for (const end = Date.now() + 10_000; Date.now() < end && isOurServer(pid, file); ) {
    await sleep(100);
  }
}

function isOurServer(pid: number, file: string): boolean {
  const ps = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 && ps.stdout.includes('server start-dev') && ps.stdout.includes(file);
}
