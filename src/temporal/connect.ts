import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type WorkflowClientInterceptor,
} from '@temporalio/client';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { toAccessError } from './access-error.ts';
import { createDataConverter } from './data-converter.ts';
import { endWhenClosed } from './end-when-closed.ts';
import { explainHandshake } from './explain-handshake.ts';
import { type Replaceable, toReplaceable } from './replaceable-connection.ts';
import { installRuntime, type RuntimeLogger, type RuntimeOptions } from './runtime.ts';
import { searchAttributeFallback } from './search-attribute-fallback.ts';
import { type ResolvedTemporal, resolveTemporal, type TemporalSettings } from './settings.ts';
import { checkTls, type TlsConfig } from './tls-files.ts';
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

/**
 * Connects a client. Throws a TemporalUnreachableError that names the address when no server responds, and a
 * TemporalAccessError when one does and refuses us.
 */
export async function connectClient(
  settings: TemporalSettings,
  { timeoutMs = 10_000, interceptors = [] }: ClientOptions = {},
): Promise<Connected & Pick<Replaceable, 'replace'>> {
  const { connection, replace } = toReplaceable(await openConnection(settings, timeoutMs));
  const { namespace } = resolveTemporal(settings);
  return {
    connection,
    replace,
    client: new Client({
      connection,
      namespace,
      dataConverter: createDataConverter(settings),
      interceptors: { workflow: [...interceptors, searchAttributeFallback()] },
    }),
    namespace,
  };
}

/** The SDK's default retries, and behind them what ends those of a closed connection. */
const INTERCEPTORS = [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endWhenClosed];

/** Opens the connection of a client with the credentials of this moment. It reads the API key again for each request. */
export function openConnection(settings: TemporalSettings, timeoutMs = 10_000): Promise<Connection> {
  const resolved = resolveTemporal(settings);
  const { options } = resolved;
  const { apiKey: read = null } = settings;
  const rotated = read === null || options.apiKey === undefined ? {} : { apiKey: keepLast(read, options.apiKey) };
  return explained(resolved, () =>
    Connection.connect({ connectTimeout: timeoutMs, interceptors: INTERCEPTORS, ...options, ...rotated }),
  );
}

/** A file that is replaced may be missing for a moment, and no request should fail for that. */
function keepLast(read: () => string, first: string): () => string {
  let last = first;
  return () => {
    try {
      last = read();
    } catch {
      // followCredentials reports it.
    }
    return last;
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
    return { connection: await explained(resolved, () => NativeConnection.connect(options)), namespace };
  } catch (error) {
    if (!keepRuntime) await Runtime.instance().shutdown();
    throw error;
  }
}

/** Connects, and finds out why when that fails. */
async function explained<T>({ options, unusedCredentialsOf }: ResolvedTemporal, connect: () => Promise<T>): Promise<T> {
  const tls = toTls(options);
  if (tls !== null) checkTls(tls, Date.now());
  // The timers of the SDK do not keep a process alive, which would end without a message while no server responds.
  const alive = setInterval(() => undefined, 60_000);
  try {
    return await connect();
  } catch (error) {
    const denied = findDenial(error);
    if (denied !== null) throw denied;
    const { address = 'localhost:7233' } = options;
    const refused = await explainHandshake(address, tls);
    if (refused !== null) throw refused;
    throw new TemporalUnreachableError(
      `No Temporal server responds at ${options.address ?? 'the configured address'} (${(error as Error).message}). ` +
        `Nothing was submitted or charged. Start the server, or correct temporal.address.${formatUnused(unusedCredentialsOf)}`,
      { cause: error },
    );
  } finally {
    clearInterval(alive);
  }
}

/** The TLS settings that the SDK uses: an API key switches TLS on. Null: none. */
export function toTls({ tls, apiKey }: ResolvedTemporal['options']): TlsConfig | null {
  if (tls === undefined || tls === null) return apiKey === undefined ? null : {};
  if (typeof tls === 'boolean') return tls ? {} : null;
  return tls;
}

/** The status of the first request of a connection. */
function findDenial(error: unknown): Error | null {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code, details } = each as { readonly code?: unknown; readonly details?: unknown };
    if (typeof code === 'number' && typeof details === 'string')
      return toAccessError({ code, details }, { cause: error });
  }
  return null;
}

const formatUnused = (server: string | null): string =>
  server === null
    ? ''
    : ` The credentials of the environment were not used: they belong to ${server} (TEMPORAL_ADDRESS or its profile).`;
