import { dirname, resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import { Command } from 'commander';
import { formatTry, type Micros, parseTry } from '../../contract/money.ts';
import type { Watch } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { createLogger } from '../observability/log.ts';
import { connectClient } from '../temporal/connect.ts';
import { installRuntime } from '../temporal/runtime.ts';
import { TemporalUnreachableError } from '../temporal/unreachable.ts';
import { type Books, chosenWatches, withBooks } from './books.ts';
import { action, type Ending } from './command.ts';
import { openConnector } from './connector.ts';
import { CommandError, EXIT, type ExitCode, worstOf } from './exit-codes.ts';
import { findings } from './findings.ts';
import type { Output } from './output.ts';
import { followRun, newRunName, startRun } from './run-job.ts';
import { temporalFor } from './temporal-for.ts';
import { needWorker, serverOf, withTemporal } from './with-temporal.ts';
import { onSignals } from './worker.ts';

interface RunFlags {
  readonly once?: boolean;
  readonly wait?: boolean;
  readonly maxCost?: string;
}

interface Job {
  readonly watches: readonly Watch[];
  readonly until: 'accepted' | 'terminal';
  readonly maxCost: Micros | null;
}

export function runCommand(): Command {
  return new Command('run')
    .description('run watches now and follow them until the service has accepted what is new')
    .argument('[watch...]', 'default: all')
    .option('--once', 'work in this process, and end with it; otherwise a "courier worker" does the work')
    .option('--wait', 'follow until every job of the service has ended')
    .option('--max-cost <amount>', 'what each run may cost at most, as 50TRY; the rest is held')
    .action(
      action((output, flags, names: string[], { once = false, wait = false, maxCost }: RunFlags) =>
        withBooks(flags, (books) => {
          const job: Job = {
            watches: chosenWatches(books.config, names),
            until: wait ? 'terminal' : 'accepted',
            maxCost: maxCost === undefined ? null : amountOf(maxCost),
          };
          return once ? runHere(output, books, job) : runElsewhere(output, books, job);
        }),
      ),
    );
}

function amountOf(text: string): Micros {
  const amount = parseTry(text.replace(/\s*TRY$/i, ''));
  if (amount !== null) return amount;
  throw new CommandError(
    EXIT.usage,
    `--max-cost "${text}" is not an amount. Nothing was run or charged. Write it as 50TRY or 12.50TRY.`,
  );
}

/** Everything in this process: a worker, and a local Temporal server unless one is named or already runs here. */
async function runHere(output: Output, { config, file, ledger }: Books, job: Job): Promise<Ending> {
  const log = createLogger(output.verbose ? 'debug' : 'error', 'courier');
  installRuntime(log);
  const here = (await answers(config))
    ? { settings: serverOf(config), server: null }
    : await temporalFor(config, resolve(dirname(file), '.courier'), (line) => output.say(line));
  try {
    const connector = await openConnector(config, here.settings, log);
    const working = connector.run();
    const stopped = Promise.withResolvers<Ending>();
    const code = onSignals(() => {
      output.say('Stopping after what is under way; what was planned goes on with the next run.');
      stopped.resolve({ exitCode: EXIT.done });
    });
    const failed = working.then(() => stopped.promise);
    try {
      const ending = await Promise.race([runAll(output, connector.deps.client, ledger, job), stopped.promise, failed]);
      return code() === EXIT.done ? ending : { exitCode: code() };
    } finally {
      connector.stop();
      await working;
    }
  } finally {
    await here.server?.stop();
  }
}

async function answers(config: Books['config']): Promise<boolean> {
  try {
    const { connection } = await connectClient(serverOf(config), { timeoutMs: 1_000 });
    await connection.close();
    return true;
  } catch (error) {
    if (error instanceof TemporalUnreachableError) return false;
    throw error;
  }
}

function runElsewhere(output: Output, { config, ledger }: Books, job: Job): Promise<Ending> {
  return withTemporal(config, async (temporal) => {
    await needWorker(temporal);
    return runAll(output, temporal.client, ledger, job);
  });
}

async function runAll(output: Output, client: Client, ledger: Ledger, job: Job): Promise<Ending> {
  const ended = await Promise.allSettled(job.watches.map((watch) => runOne(output, client, ledger, watch, job)));
  const codes = ended.map((each): ExitCode => {
    if (each.status === 'fulfilled') return each.value;
    if (!(each.reason instanceof CommandError)) throw each.reason;
    process.stderr.write(`${each.reason.message}\n`);
    return each.reason.exitCode;
  });
  return { exitCode: worstOf(codes), summary: { watches: job.watches.length } };
}

async function runOne(output: Output, client: Client, ledger: Ledger, watch: Watch, job: Job): Promise<ExitCode> {
  const { until, maxCost } = job;
  const handle = await startRun(client, watch, until, newRunName(Date.now(), Math.random()), { maxCost });
  output.say(`${watch.id}: ${handle.workflowId}`);
  let said = '';
  const result = await followRun(handle, ledger, ({ phase }) => {
    if (phase === 'held') throw heldRun(watch, handle.workflowId);
    if (phase !== said) output.say(`${watch.id}: ${phase}`);
    said = phase;
  });
  const { sentences, exitCode } = findings(watch, result, null);
  const { counts, report } = result;
  output.record({ type: 'run', watch: watch.id, run: handle.workflowId, ...result, findings: sentences });
  output.print(
    `${watch.id}: ${counts.found} found, ${counts.new} new, ${report?.submitted ?? 0} submitted, ` +
      `${report?.completed ?? 0} completed, ${report?.failed ?? 0} failed, charged ${formatTry(report?.charged ?? (0 as Micros))}`,
  );
  for (const sentence of sentences) output.print(sentence);
  return exitCode;
}

function heldRun(watch: Watch, run: string): CommandError {
  return new CommandError(
    EXIT.guard,
    `${watch.id}: a guard holds this run. Nothing of it was submitted or charged. Look at it in the Web UI, then ` +
      `"courier approve ${run}" or "courier reject ${run}", while a worker runs.`,
  );
}
