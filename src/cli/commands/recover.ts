import type { Command } from 'commander';
import { formatTry, sumMicros, ZERO } from '../../../contract/money.ts';
import { ApiError } from '../../api-client/errors.ts';
import { listHistory } from '../../api-client/history.ts';
import { CommandError, EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Account, Watch } from '../../config/config.ts';
import { confirmShown } from '../../connector/confirm-account.ts';
import { type Job, type JobTaken, takeJob } from '../../connector/recover-job.ts';
import { withService } from '../../connector/service-client.ts';
import { action, type Ending } from '../output/command.ts';
import { formatCount, formatCounted, formatDuration } from '../output/format.ts';
import { openStages } from '../output/progress.ts';
import { type RecoveredCounts, toRecoveredRecord, toUnassignedRecord } from '../output/records/recover.ts';
import { type CommandContext, getAccount, getWatch, withLedger } from '../with-ledger.ts';

interface RecoverFlags {
  readonly account?: string;
  readonly watch?: string;
  readonly since?: string;
}

export function recoverCommand(command: Command): void {
  command
    .option('--account <account>', 'only this account (default: all)')
    .option('--watch <watch>', 'assign jobs that match no watch to this one')
    .option('--since <date>', 'only jobs from this day on, as 2026-01-31')
    .action(
      action((output, flags, options: RecoverFlags) =>
        withLedger(flags, (context) => recover(output, context, options)),
      ),
    );
}

async function recover(
  output: Output,
  context: CommandContext,
  { account, watch, since }: RecoverFlags,
): Promise<Ending> {
  const { config } = context;
  const fallback = watch === undefined ? null : getWatch(config.watches, watch);
  if (since !== undefined && !isDate(since)) {
    throw new CommandError(
      EXIT.usage,
      `--since "${since}" is not a date. Nothing was changed. Write it as 2026-01-31.`,
    );
  }
  const accounts =
    account !== undefined
      ? [getAccount(config, account)]
      : fallback !== null
        ? [getAccount(config, fallback.account)]
        : [...config.accounts.values()];
  const signal = stopSignal('What was recovered is kept; "courier recover" continues with the rest.');
  const codes: ExitCode[] = [];
  let jobs = 0;
  for (const each of accounts) {
    const taken = await recoverAccount(output, context, each, { fallback, since: since ?? null, signal });
    jobs += taken.length;
    codes.push(showRecovered(output, each, taken));
  }
  return { exitCode: pickWorst(codes), summary: { jobs } };
}

function isDate(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

interface Options {
  readonly fallback: Watch | null;
  readonly since: string | null;
  readonly signal: AbortSignal;
}

/** Reads the list of jobs, then each job that the ledger does not know, oldest first. */
async function recoverAccount(
  output: Output,
  { config, ledger }: CommandContext,
  account: Account,
  { fallback, since, signal }: Options,
): Promise<JobTaken[]> {
  const watches = [...config.watches.values()].filter((watch) => watch.account === account.id);
  const stages = openStages(output, 1);
  try {
    return await withService(config, account, signal, async (service) => {
      let stage = 'list';
      let done = 0;
      let total: number | null = null;
      const ask: typeof service.ask = (request) => {
        signal.throwIfAborted();
        return service.ask(request, (waitMs) => {
          stages.at(stage, account.id, done, total, `waits ${formatDuration(waitMs)} for the rate limit`);
        });
      };
      await confirmShown(ledger, account.id, ask);
      const history = await listHistory(ask, since, (jobs, all) => {
        [done, total] = [jobs, all];
        stages.at(stage, account.id, jobs, all, 'jobs of the service');
      });
      [stage, done, total] = ['read', 0, history.length];
      const taken: JobTaken[] = [];
      for (const submission of history) {
        const job: Job = { ledger, account, watches, fallback, ask, submission };
        taken.push(await takeJob(job));
        done = taken.length;
        stages.at(stage, account.id, done, total, submission.reference);
      }
      return taken;
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CommandError(
      error.status === 401 ? EXIT.keyRefused : EXIT.transient,
      `The history of ${account.id} could not be read to its end: ${error.message}. Nothing was charged, and what was ` +
        'recovered is kept. Do not start a run or a worker yet: it would buy again what is missing. Run "courier recover" ' +
        'again; it continues with the rest.',
    );
  } finally {
    stages.end();
  }
}

function showRecovered(output: Output, { id }: Account, taken: readonly JobTaken[]): ExitCode {
  const recovered = taken.filter((each) => each.kind === 'recovered');
  const unassigned = taken.filter((each) => each.kind === 'unassigned');
  const charges = recovered.map(({ charged }) => charged).filter((charged) => charged !== null);
  const counts: RecoveredCounts = {
    jobs: taken.length,
    recovered: recovered.length,
    answered: taken.filter((each) => each.kind === 'settled').length,
    known: taken.filter((each) => each.kind === 'known').length,
    unassigned: unassigned.length,
    urls: recovered.reduce((sum, each) => sum + each.urls, 0),
    charged: sumMicros(ZERO, ...charges),
    unknownCharges: recovered.length - charges.length,
  };
  output.record(toRecoveredRecord(id, counts));
  for (const job of unassigned) output.record(toUnassignedRecord(job));
  output.print(formatRecovered(id, counts));
  const open = recovered.filter((each) => each.open).length;
  if (open > 0)
    output.print(
      `  ${formatCounted(open, 'job')} of them ${open === 1 ? 'has' : 'have'} not ended: restart "courier worker", or run ` +
        '"courier run --once", to follow them.',
    );
  const [first] = unassigned;
  if (first === undefined) return EXIT.done;
  output.print(
    `  ${formatCounted(unassigned.length, 'job')} matched no watch and ${unassigned.length === 1 ? 'was' : 'were'} left out, ` +
      `for example ${first.reference} (project ${first.project ?? 'not reported'}, ${first.sample ?? 'URLs not reported'}). ` +
      'Their URLs may be bought again. If they are yours, name their watch with --watch.',
  );
  return EXIT.partial;
}

function formatRecovered(id: string, counts: RecoveredCounts): string {
  const unknown =
    counts.unknownCharges === 0 ? '' : `, charge unknown for ${formatCounted(counts.unknownCharges, 'job')}`;
  return (
    `${id}: ${formatCounted(counts.jobs, 'job')} at the service; ${formatCount(counts.recovered)} recovered ` +
    `(${formatCounted(counts.urls, 'URL')}, ${formatTry(counts.charged)}${unknown}), ${formatCount(counts.answered)} answered ` +
    `batches in doubt, ${formatCount(counts.known)} known`
  );
}
