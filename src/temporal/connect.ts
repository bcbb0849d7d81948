import { Client, Connection, type WorkflowClientInterceptor } from '@temporalio/client';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { installRuntime, type RuntimeLogger, type RuntimeOptions } from './runtime.ts';
import { searchAttributeFallback } from './search-attribute-fallback.ts';
import { type ResolvedTemporal, resolveTemporal, type TemporalSettings } from './settings.ts';
import { TemporalUnreachableError } from './unreachable.ts';

export { namesServer, type TemporalSettings } from './settings.ts';

export interface Connected {
  readonly client: Client;
  readonly connection: Connection;
  readonly namespace: string;
}

export interface ClientOptions {
  readonly timeoutMs?: number;
  readonly interceptors?: readonly WorkflowClientInterceptor[];
}

/** Connects a client. Throws an error that names the address when no server responds. */
export async function connectClient(
  settings: TemporalSettings,
  { timeoutMs = 10_000, interceptors = [] }: ClientOptions = {},
): Promise<Connected> {
  const resolved = resolveTemporal(settings);
  const { options, namespace } = resolved;
  const connection = await named(resolved, () => Connection.connect({ connectTimeout: timeoutMs, ...options }));
  return {
    connection,
    client: new Client({
      connection,
      namespace,
      interceptors: { workflow: [...interceptors, searchAttributeFallback()] },
    }),
    namespace,
  };
}

/**
 * The connection of a worker, through the SDK's native core, which writes into our log. On failure shuts the runtime
 * down, because the process could not exit otherwise; set `keepRuntime` in a program that connects again.
 */
export async function connectWorker(
  settings: TemporalSettings,
  log: RuntimeLogger,
  { keepRuntime = false, ...runtime }: RuntimeOptions & { readonly keepRuntime?: boolean } = {},
): Promise<{ connection: NativeConnection; namespace: string }> {
  const resolved = resolveTemporal(settings);
  const { options, namespace } = resolved;
  installRuntime(log, runtime);
  try {
    return { connection: await named(resolved, () => NativeConnection.connect(options)), namespace };
  } catch (error) {
    if (!keepRuntime) await Runtime.instance().shutdown();
    throw error;
  }
}

async function named<T>({ options, unusedCredentialsOf }: ResolvedTemporal, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    throw new TemporalUnreachableError(
      `No Temporal server responds at ${options.address ?? 'the configured address'} (${(error as Error).message}). ` +
        `Nothing was submitted or charged. Start the server, or correct temporal.address.${formatUnused(unusedCredentialsOf)}`,
      { cause: error },
    );
  }
}

const formatUnused = (server: string | null): string =>
  server === null
    ? ''
    : ` The credentials of the environment were not used: they belong to ${server} (TEMPORAL_ADDRESS or its profile).`;
