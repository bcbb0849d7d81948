import type { Client } from '@temporalio/client';
import type { Output } from '../cli-kit/output.ts';
import { stopSignal } from '../cli-kit/stop-signal.ts';
import type { Watch } from '../config/config.ts';
import { type ConnectorOptions, openConnector } from '../connector/connector.ts';
import { withRunLock } from '../connector/run-lock.ts';
import { openTemporal } from '../connector/temporal-server.ts';
import { createLogger } from '../observability/log.ts';
import { requireCurrentBuild, requireKeys } from './requirements.ts';
import { WHEN_STOPPED } from './time-limit.ts';
import type { CommandContext } from './with-ledger.ts';

/**
 * Works in this process while `follow` runs: a worker, and the folder's local Temporal server unless another is
 * configured. For commands with --once.
 */
export function workHere<T>(
  output: Output,
  context: CommandContext,
  watches: readonly Watch[],
  follow: (client: Client, ended: AbortSignal) => Promise<T>,
  limits: readonly AbortSignal[] = [],
  options: ConnectorOptions = {},
): Promise<T> {
  requireKeys(context.config);
  const ends = [stopSignal(WHEN_STOPPED), ...limits];
  return withRunLock(context.ledger, watches, () => workLocked(output, context, watches, follow, ends, options));
}

/** The same for a command that has read the keys and holds the lock of the watches. `ends`: what ends it early. */
export async function workLocked<T>(
  output: Output,
  { config, file, ledger }: CommandContext,
  watches: readonly Watch[],
  follow: (client: Client, ended: AbortSignal) => Promise<T>,
  ends: readonly AbortSignal[],
  options: ConnectorOptions = {},
): Promise<T> {
  const log = createLogger(output.verbose ? 'debug' : 'error', 'courier');
  const { settings, server } = await openTemporal(config, file, output.say);
  try {
    const connector = await openConnector(config, settings, log, options);
    const { client } = connector.deps;
    const working = connector.run();
    try {
      await requireCurrentBuild({ client, namespace: client.options.namespace }, ledger.id);
      await connector.confirmAccounts(watches.map(({ account }) => account));
      const own = [abortOnFailure(working), ...(server === null ? [] : [server.lost])];
      return await untilAborted(client, [...ends, ...own], (ended) => follow(client, ended));
    } finally {
      connector.stop();
      await working;
    }
  } finally {
    await server?.stop();
  }
}

/** Aborted when the worker fails. */
function abortOnFailure(working: Promise<void>): AbortSignal {
  const failed = new AbortController();
  working.catch((error: unknown) => failed.abort(error));
  return failed.signal;
}

/**
 * Follows until `follow` ends or a signal aborts; none of its requests is under way afterwards. What these fail with then is no
 * news: the reason of the signal says why the command ends.
 */
export async function untilAborted<T>(
  client: Client,
  signals: readonly AbortSignal[],
  follow: (ended: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([...signals, over.signal]);
  signal.throwIfAborted();
  const following = client.withAbortSignal(signal, () => follow(signal));
  const aborted = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
  try {
    return await Promise.race([following, aborted.promise]);
  } finally {
    // Requests that still wait for their response are cancelled: their connection is closed next.
    over.abort();
    await following.catch(() => undefined);
  }
}
