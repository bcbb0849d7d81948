import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { formatTry, type Micros, parseTry, sumMicros, ZERO } from '../../../contract/money.ts';
import { CommandError, EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Watch } from '../../config/config.ts';
import { parseDuration } from '../../config/duration.ts';
import { openConnector } from '../../connector/connector.ts';
import { activeRun, followRun, newRunName, startRun } from '../../connector/run-client.ts';
import { createStallDetector } from '../../connector/stall-detector.ts';
import { openTemporal, withTemporal } from '../../connector/temporal-server.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { createLogger } from '../../observability/log.ts';
import type { RunId } from '../../submission/ids.ts';
import { needWorker } from '../need-worker.ts';
import { chargeText } from '../output/charge-text.ts';
import { action, type Ending } from '../output/command.ts';
import { listNotices } from '../output/notices.ts';
import { runProgress } from '../output/run-progress.ts';
import { openStages, type Stages } from '../output/stages.ts';
import { requireKeys } from '../require-keys.ts';
import { type CommandContext, selectWatches, withLedger } from '../with-ledger.ts';

interface RunFlags {
  readonly once?: boolean;
  readonly wait?: boolean;
  readonly maxCost?: string;
  readonly giveUp: string;
}

interface Job {
  readonly watches: readonly Watch[];
  readonly until: 'accepted' | 'terminal';
  readonly maxCost: Micros | null;
  /** So long without an answer of the service, in milliseconds, ends the command. */
  readonly giveUpMs: number;
  /** The worker is this process. */
  readonly here: boolean;
}

export function runCommand(): Command {
  return new Command('run')
    .description('run watches now and follow them until the service has accepted what is new')
    .argument('[watch...]', 'default: all')
    .option('--once', 'work in this process, and end with it; otherwise a "courier worker" does the work')
    .option('--wait', 'follow until every job of the service has ended')
    .option('--max-cost <amount>', 'what each run may cost at most, as 50TRY; the rest is held')
    .option('--give-up <duration>', 'so long without any answer of the service ends the command', '15m')
    .action(
      action((output, flags, names: string[], { once = false, wait = false, maxCost, giveUp }: RunFlags) =>
        withLedger(flags, (books) => {
          const job: Job = {
            watches: selectWatches(books.config, names),
            until: wait ? 'terminal' : 'accepted',
            maxCost: maxCost === undefined ? null : parseAmount(maxCost),
            giveUpMs: parseDurationOption(giveUp),
            here: once,
          };
          return once ? runHere(output, books, job) : runElsewhere(output, books, job);
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

function parseDurationOption(text: string): number {
  const duration = parseDuration(text);
  if (duration !== null) return duration;
  throw new CommandError(
    EXIT.usage,
    `--give-up "${text}" is not a duration. Nothing was run or charged. Write it as 15m or 2h.`,
  );
}

/** Everything in this process: a worker, and the folder's local Temporal server unless one is named. */
async function runHere(output: Output, { config, file, ledger }: CommandContext, job: Job): Promise<Ending> {
  requireKeys(config);
  const log = createLogger(output.verbose ? 'debug' : 'error', 'courier');
  const stop = stopSignal('What was under way is finished; what was planned goes on with the next run or worker.');
  const { settings, server } = await openTemporal(config, file, output.say);
  try {
    const connector = await openConnector(config, settings, log);
    const { client } = connector.deps;
    const working = connector.run();
    try {
      await connector.confirmAccounts(job.watches.map(({ account }) => account));
      return await whileWatched(client, [stop, toFailureData(working)], () => runAll(output, client, ledger, job));
    } finally {
      connector.stop();
      await working;
    }
  } finally {
    await server?.stop();
  }
}

function runElsewhere(output: Output, { config, file, ledger }: CommandContext, job: Job): Promise<Ending> {
  const stop = stopSignal('The runs go on where the worker is; "courier status" shows them.');
  return withTemporal(config, file, async (temporal) => {
    await needWorker(temporal, ledger.id);
    return whileWatched(temporal.client, [stop], () => runAll(output, temporal.client, ledger, job));
  });
}

/** Aborted when the worker fails. */
function toFailureData(working: Promise<void>): AbortSignal {
  const failed = new AbortController();
  working.catch((error: unknown) => failed.abort(error));
  return failed.signal;
}

/** Follows runs until they end or a signal says to look away; no request of it is left under way then. */
async function whileWatched<T>(client: Client, signals: readonly AbortSignal[], follow: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const signal = AbortSignal.any([...signals, over.signal]);
  signal.throwIfAborted();
  const following = client.withAbortSignal(signal, follow);
  const recheckedAt = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => recheckedAt.reject(signal.reason), { once: true });
  try {
    return await Promise.race([following, recheckedAt.promise]);
  } finally {
    // What still waits for an answer is given up: its connection is closed next.
    over.abort();
    await following.catch(() => undefined);
  }
}

async function runAll(output: Output, client: Client, ledger: Ledger, job: Job): Promise<Ending> {
  const stages = openStages(output, job.watches.length);
  const scene: Scene = { output, client, ledger, stages, job };
  const ended = await Promise.allSettled(job.watches.map((watch) => runWatch(scene, watch)));
  stages.end();
  const codes: ExitCode[] = [];
  let charged: Micros = ZERO;
  for (const each of ended) {
    if (each.status === 'rejected') {
      if (!(each.reason instanceof CommandError)) throw each.reason;
      process.stderr.write(`${each.reason.message}\n`);
      codes.push(each.reason.exitCode);
      continue;
    }
    for (const ran of each.value) {
      tell(output, ran);
      codes.push(ran.exitCode);
      charged = sumMicros(charged, ran.result.report?.charged ?? ZERO);
    }
  }
  return { exitCode: pickWorst(codes), summary: { watches: job.watches.length, charged } };
}

/** What every run of the command needs. */
interface Scene {
  readonly output: Output;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly stages: Stages;
  readonly job: Job;
}

interface Ran extends ReturnType<typeof listNotices> {
  readonly watch: Watch;
  readonly run: string;
  readonly result: Awaited<ReturnType<typeof followRun>>;
}

/** A run of a watch; before it, where nobody else would, one that an earlier command left unfinished. */
async function runWatch(scene: Scene, watch: Watch): Promise<Ran[]> {
  const { output, client, job } = scene;
  const done: Ran[] = [];
  const interrupted = job.here ? await activeRun(client, scene.ledger.id, watch) : null;
  if (interrupted !== null) {
    output.say(`  A run of ${watch.id} was interrupted; it goes on where it was.`);
    done.push(await followed(scene, watch, interrupted));
  }
  const name = newRunName(Date.now(), Math.random());
  const handle = await startRun(client, scene.ledger.id, watch, job.until, name, { maxCost: job.maxCost });
  return [...done, await followed(scene, watch, handle)];
}

async function followed(
  { client, ledger, stages, job }: Scene,
  watch: Watch,
  handle: Awaited<ReturnType<typeof startRun>>,
): Promise<Ran> {
  const run = handle.workflowId;
  const stallDetector = createStallDetector(client, ledger, watch, run as RunId, job.giveUpMs);
  const result = await followRun(handle, ledger, async (progress) => {
    if (progress.phase === 'held') throw heldRun(watch, run);
    runProgress(stages, watch.id, progress);
    await stallDetector(progress);
  });
  return { watch, run, result, ...listNotices(watch, result, null) };
}

function tell(output: Output, { watch, run, result, sentences }: Ran): void {
  const { counts, report } = result;
  output.record({ type: 'run', watch: watch.id, run, ...result, findings: sentences });
  output.print(
    `${watch.id}: ${counts.found} found, ${counts.new} new, ${report?.submitted ?? 0} submitted, ` +
      `${report?.completed ?? 0} completed, ${report?.failed ?? 0} failed, charged ${report === null ? formatTry(ZERO) : chargeText(report)}`,
  );
  for (const sentence of sentences) output.print(sentence);
}

function heldRun(watch: Watch, run: string): CommandError {
  return new CommandError(
    EXIT.guard,
    `${watch.id}: a guard holds this run. Nothing of it was submitted or charged. Look at it in the Web UI, then ` +
      `"courier approve ${run}" or "courier reject ${run}", while a worker runs.`,
  );
}
