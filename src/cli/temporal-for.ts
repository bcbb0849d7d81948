import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { namesServer, type TemporalSettings } from '../temporal/connect.ts';
import { type DevServer, startDevServer } from '../temporal/dev-server.ts';
import { findTemporalBinary } from '../temporal/server-binary.ts';

export interface TemporalHere {
  readonly settings: TemporalSettings;
  /** Our own local server, when no other is named. */
  readonly server: DevServer | null;
}

/** The server that the configuration or the environment names, else a local one that keeps its state beside the ledger. */
export async function temporalFor(config: Config, folder: string, say: (line: string) => void): Promise<TemporalHere> {
  if (namesServer(config.temporal)) return { settings: config.temporal, server: null };
  const binary = await findTemporalBinary(say);
  const server = await startDevServer({ binary, file: join(folder, 'temporal.db'), port: 7233, uiPort: 8233 });
  say(`Temporal runs at ${server.address}; its Web UI is ${server.uiUrl}`);
  return { settings: { address: server.address, namespace: config.temporal.namespace }, server };
}
