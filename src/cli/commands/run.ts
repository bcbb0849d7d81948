import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { type Micros, parseTry } from '../../../contract/money.ts';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import { parseDuration } from '../../config/duration.ts';
import { openConnector } from '../../connector/connector.ts';
import { withRunLock } from '../../connector/run-lock.ts';
import { openTemporal, withTemporal } from '../../connector/temporal-server.ts';
import { createLogger } from '../../observability/log.ts';
import { action, type Ending } from '../output/command.ts';
import { requireKeys, requireWorker } from '../requirements.ts';
import { type CommandContext, selectWatches, withLedger } from '../with-ledger.ts';
import { followRuns, type RunsToFollow } from './follow-runs.ts';

interface RunFlags {
  readonly once?: boolean;
  readonly wait?: boolean;
  readonly maxCost?: string;
  readonly timeout: string;
}

export function runCommand(command: Command): void {
  command
    .argument('[watch...]', 'watches to run (default: all)')
    .option('--once', 'work in this process and end with it; without it, a "courier worker" does the work')
    .option('--wait', 'follow until every job of the service has ended')
    .option('--max-cost <amount>', 'most that each run may cost, as 50TRY; the rest is held')
    .option('--timeout <duration>', 'exit with 5 after this long without a response of the service', '15m')
    .action(
      action((output, flags, names: string[], { once = false, wait = false, maxCost, timeout }: RunFlags) =>
        withLedger(flags, (context) => {
          const runs: RunsToFollow = {
            watches: selectWatches(context.config, names),
            until: wait ? 'terminal' : 'accepted',
            maxCost: maxCost === undefined ? null : parseAmount(maxCost),
            timeoutMs: parseTimeout(timeout),
            here: once,
          };
          return once ? runHere(output, context, runs) : runAtWorker(output, context, runs);
        }),
      ),
    );
}

function parseAmount(text: string): Micros {
  const amount = parseTry(text);
  if (amount !== null && amount >= 0) return amount;
  throw new CommandError(
    EXIT.usage,
    `--max-cost "${text}" is not an amount. Nothing was run or charged. Write it as 50TRY or 12.50TRY.`,
  );
}

function parseTimeout(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null) return duration;
  throw new CommandError(
    EXIT.usage,
    `--timeout "${text}" is not a duration. Nothing was run or charged. Write it as 15m or 2h.`,
  );
}

/** Everything in this process: a worker, and the folder's local Temporal server unless another is configured. */
function runHere(output: Output, context: CommandContext, runs: RunsToFollow): Promise<Ending> {
  requireKeys(context.config);
  return withRunLock(context.ledger, runs.watches, () => workAndFollow(output, context, runs));
}

async function workAndFollow(
  output: Output,
  { config, file, ledger }: CommandContext,
  runs: RunsToFollow,
): Promise<Ending> {
  const log = createLogger(output.verbose ? 'debug' : 'error', 'courier');
  const stop = stopSignal(
    'Requests in flight are completed. The next run or worker continues with the planned batches.',
  );
  const { settings, server } = await openTemporal(config, file, output.say);
  try {
    const connector = await openConnector(config, settings, log);
    const { client } = connector.deps;
    const working = connector.run();
    try {
      await connector.confirmAccounts(runs.watches.map(({ account }) => account));
      const ends = [stop, abortOnFailure(working), ...(server === null ? [] : [server.lost])];
      return await untilAborted(client, ends, () => followRuns({ output, client, ledger, runs }));
    } finally {
      connector.stop();
      await working;
    }
  } finally {
    await server?.stop();
  }
}

function runAtWorker(output: Output, { config, file, ledger }: CommandContext, runs: RunsToFollow): Promise<Ending> {
  const stop = stopSignal('The runs continue at the worker; "courier status" shows them.');
  return withTemporal(config, file, async (temporal) => {
    await requireWorker(temporal, ledger.id);
    const { client } = temporal;
    return untilAborted(client, [stop], () => followRuns({ output, client, ledger, runs }));
  });
}

/** Aborted when the worker fails. */
function abortOnFailure(working: Promise<void>): AbortSignal {
  const failed = new AbortController();
  working.catch((error: unknown) => failed.abort(error));
  return failed.signal;
}

/** Follows until `follow` ends or a signal aborts; none of its requests is under way afterwards. */
async function untilAborted<T>(client: Client, signals: readonly AbortSignal[], follow: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([...signals, over.signal]);
  signal.throwIfAborted();
  const following = client.withAbortSignal(signal, follow);
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
