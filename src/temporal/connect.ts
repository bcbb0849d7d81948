import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection, Runtime } from '@temporalio/worker';
import type { Logger } from '../observability/log.ts';
import { installRuntime } from './runtime.ts';
import { TemporalUnreachableError } from './unreachable.ts';

export interface TemporalSettings {
  /** `host:port`; empty: the TEMPORAL_* variables and profiles of Temporal's own tools. */
  readonly address: string;
  readonly namespace: string;
}

type ConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'];

interface Resolved {
  readonly options: ConnectionOptions;
  readonly namespace: string;
}

/** True when the configuration or the environment names a server, so that none of our own is started. */
export function namesServer(settings: TemporalSettings): boolean {
  if (settings.address !== '') return true;
  return (loadClientConnectConfig().connectionOptions.address ?? '') !== '';
}

function resolve(settings: TemporalSettings): Resolved {
  if (settings.address !== '') return { options: { address: settings.address }, namespace: settings.namespace };
  const { connectionOptions, namespace } = loadClientConnectConfig();
  return { options: connectionOptions, namespace: namespace ?? settings.namespace };
}

export interface Connected {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
}

/** Connects a client. Throws a sentence that names the address when no server answers. */
export async function connectClient(
  settings: TemporalSettings,
  { timeoutMs = 10_000 }: { readonly timeoutMs?: number } = {},
): Promise<Connected> {
  const { options, namespace } = resolve(settings);
  const connection = await named(options, () => Connection.connect({ connectTimeout: timeoutMs, ...options }));
  return { connection, client: new Client({ connection, namespace }), namespace };
}

/** The connection of a worker, through the SDK's native core, which says what it has to say into our log. */
export async function connectWorker(
  settings: TemporalSettings,
  log: Logger,
): Promise<{ connection: NativeConnection; namespace: string }> {
  const { options, namespace } = resolve(settings);
  installRuntime(log);
  try {
    return { connection: await named(options, () => NativeConnection.connect(options)), namespace };
  } catch (error) {
    // Nothing uses it, so nothing would ever end it: the program would not either.
    await Runtime.instance().shutdown();
    throw error;
  }
}

async function named<T>(options: ConnectionOptions, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    throw new TemporalUnreachableError(
      `No Temporal server answers at ${options.address ?? 'the configured address'} (${(error as Error).message}). ` +
        'Nothing was submitted or charged. Start the server, or correct temporal.address.',
      { cause: error },
    );
  }
}
