import { type DevServer, startDevServer } from '../../temporal/dev-server.ts';
import { stopOrphan } from '../../temporal/local-server.ts';
import { findTemporalBinary } from '../../temporal/server-binary.ts';
import type { DemoState } from './state.ts';

/**
 * Starts the demo's Temporal server on its own file. One that a killed demo left behind holds that file: it is ended
 * first, by its process id and only when it is a Temporal server on this very file.
 */
export async function startDemoTemporal(state: DemoState, say: (line: string) => void): Promise<DevServer> {
  const file = state.path('temporal.db');
  const binary = await findTemporalBinary(say);
  const { temporalPort, uiPort, temporalPid } = state.memory;
  if (temporalPid !== null) await stopOrphan(temporalPid, file);
  const server = await startDevServer({ binary, file, port: temporalPort, uiPort });
  state.remember({
    temporalPort: server.port,
    uiPort: server.uiPort ?? uiPort,
    temporalPid: server.process.pid ?? null,
  });
  return server;
}
