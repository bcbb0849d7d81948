import type { Config } from '../config/config.ts';
import { readApiKey, readSecret } from '../config/secrets.ts';
import { type Connected, connectClient, type TemporalSettings } from '../temporal/connect.ts';
import type { Encryption } from '../temporal/encryption.ts';
import { type LocalServer, localAddress, openLocalServer } from '../temporal/local-server.ts';
import { findTemporalBinary } from '../temporal/server-binary.ts';
import { namesServer } from '../temporal/settings.ts';
import { TemporalUnreachableError } from '../temporal/unreachable.ts';
import { getStateFolder } from './state-folder.ts';

export interface OpenedTemporal {
  readonly settings: TemporalSettings;
  /** The local server of the configuration's folder, when no other is configured. */
  readonly server: LocalServer | null;
}

/** The server that the configuration or the environment names, else the local one, started if necessary. */
export async function openTemporal(config: Config, file: string, say: (line: string) => void): Promise<OpenedTemporal> {
  if (namesServer(config.temporal)) return { settings: toTemporalSettings(config), server: null };
  const server = await openLocalServer(getStateFolder(file), () => findTemporalBinary(say));
  say(`Temporal runs at ${server.address}${server.uiUrl === null ? '' : `; its Web UI is ${server.uiUrl}`}`);
  return { settings: toLocalSettings(config, server.address), server };
}

/** The configured server, with what reads its API key at each use. */
export function toTemporalSettings(config: Pick<Config, 'temporal'>): TemporalSettings {
  const { apiKey, address, namespace, tls } = config.temporal;
  return {
    ...{ address, namespace, tls },
    apiKey: apiKey === null ? null : () => readApiKey(apiKey),
    readEncryption: toEncryption(config),
  };
}

function toEncryption({ temporal: { encryption } }: Pick<Config, 'temporal'>): (() => Encryption) | null {
  if (encryption === null) return null;
  const { key, formerKeys } = encryption;
  return () => ({ key: key === null ? null : readSecret(key), formerKeys: formerKeys.map(readSecret) });
}

const toLocalSettings = (config: Config, address: string): TemporalSettings => ({
  ...{ address, namespace: config.temporal.namespace },
  local: true,
  readEncryption: toEncryption(config),
});

/** Finds that server for a command that does not start one. Throws an error with exit code 5 when there is none. */
export function findServer(config: Config, file: string): TemporalSettings {
  if (namesServer(config.temporal)) return toTemporalSettings(config);
  const address = localAddress(getStateFolder(file));
  if (address !== null) return toLocalSettings(config, address);
  throw new TemporalUnreachableError(
    `No Temporal server is configured, and none runs for ${file} on this machine. Nothing was submitted or charged. ` +
      'Start "courier worker", which starts one, or set temporal.address to yours. With cron alone: "run", "apply", "approve" and "reject" do their work here with --once.',
  );
}

/** Connects while `work` runs. Throws an error with exit code 5 when the server does not respond. */
export async function withTemporal<T>(
  config: Config,
  file: string,
  work: (temporal: Connected) => Promise<T>,
): Promise<T> {
  const connected = await connectClient(findServer(config, file), { timeoutMs: 3_000 });
  try {
    return await work(connected);
  } finally {
    await connected.connection.close();
  }
}
