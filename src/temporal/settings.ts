import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { Encryption } from './encryption.ts';
import { readTls, type TlsFiles } from './tls-files.ts';

/** The settings of the Temporal server. Reading them loads none of Temporal's SDK. */
export interface TemporalSettings {
  /** `host:port`; empty: the TEMPORAL_* variables and profiles of Temporal's own tools. */
  readonly address: string;
  /** Empty: that of the environment where its server is used, else `default`. */
  readonly namespace: string;
  /** A server that this program keeps itself: it takes nothing of the environment. */
  readonly local?: boolean;
  /** Absent or null: that of the environment. */
  readonly tls?: TlsFiles | null;
  /** Reads the API key, which may change. Absent or null: that of the environment. */
  readonly apiKey?: (() => string) | null;
  /** Reads the keys that encrypt payloads. Absent or null: they are not encrypted. */
  readonly readEncryption?: (() => Encryption) | null;
}

export interface ResolvedTemporal {
  readonly options: ReturnType<typeof loadClientConnectConfig>['connectionOptions'];
  readonly namespace: string;
  /** The server whose credentials the environment has; null when they are used, or when it has none. */
  readonly unusedCredentialsOf: string | null;
}

/** Whether the configuration or the environment names a server, so that no local one is started. */
export function namesServer(settings: Pick<TemporalSettings, 'address'>): boolean {
  if (settings.address !== '') return true;
  return (loadClientConnectConfig().connectionOptions.address ?? '') !== '';
}

/** The server and the namespace that the TEMPORAL_* variables or their profile name; null for what they do not. */
export function readTemporalEnvironment(): { readonly address: string | null; readonly namespace: string | null } {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  return { address: connectionOptions.address || null, namespace: namespace || null };
}

/**
 * What is configured comes first, then what the environment or its profile gives. An environment that names another server
 * keeps its credentials: they belong to that server alone. Reads the files of TLS and the API key.
 */
export function resolveTemporal({
  address,
  namespace,
  local = false,
  tls: files = null,
  apiKey: readKey = null,
}: TemporalSettings): ResolvedTemporal {
  const own = {
    ...(files === null ? {} : { tls: readTls(files) }),
    ...(readKey === null ? {} : { apiKey: readKey() }),
  };
  const plain = {
    options: { address, ...own },
    namespace: namespace === '' ? 'default' : namespace,
    unusedCredentialsOf: null,
  };
  if (local) return plain;
  const { connectionOptions, namespace: named = 'default' } = loadClientConnectConfig();
  const other = connectionOptions.address ?? '';
  if (address !== '' && other !== '' && !isSameServer(address, other)) {
    const { apiKey, tls, metadata } = connectionOptions;
    const hasCredentials =
      readKey === null && files === null && (apiKey !== undefined || tls !== undefined || metadata !== undefined);
    return { ...plain, unusedCredentialsOf: hasCredentials ? other : null };
  }
  return {
    options: { ...connectionOptions, ...(address === '' ? {} : { address }), ...own },
    namespace: namespace === '' ? named : namespace,
    unusedCredentialsOf: null,
  };
}

const isSameServer = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
