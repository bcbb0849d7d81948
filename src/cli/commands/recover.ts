import type { Command } from 'commander';
import { formatTry, sumMicros, ZERO } from '../../../contract/money.ts';
import { ApiError } from '../../api-client/errors.ts';
import { findDay } from '../../cli-kit/arguments.ts';
import { CommandError, EXIT, type ExitCode, pickWorst, UsageError } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Account } from '../../config/config.ts';
import { confirmShown } from '../../connector/confirm-account.ts';
import { type AccountRecovered, type RecoverSettings, recoverAccount } from '../../connector/recover-account.ts';
import type { JobTaken } from '../../connector/recover-job.ts';
import { withService } from '../../connector/service-client.ts';
import type { WatchId } from '../../submission/ids.ts';
import { type Ending, toReadFailureCode } from '../output/command.ts';
import { formatCount, formatCounted, formatDuration } from '../output/format.ts';
import { openStages } from '../output/progress.ts';
import { type RecoveredCounts, toRecoveredRecord, toUnassignedRecord } from '../output/records/ledger.ts';
import { type CommandContext, getAccount, getWatch, ledgerAction } from '../with-ledger.ts';

interface RecoverFlags {
  readonly account?: string;
  readonly watch?: string;
  readonly since?: string;
  readonly accept?: boolean;
}

export function recoverCommand(command: Command): void {
  command
    .option('--account <account>', 'only this account (default: all)')
    .option('--watch <watch>', 'assign jobs that match no watch to this one')
    .option('--since <date>', 'only jobs from this day on, as 2026-01-31')
    .option('--accept', 'permanently leave out jobs that match no watch or are not shown in full, and resume spending')
    .action(ledgerAction(recover));
}

async function recover(
  output: Output,
  context: CommandContext,
  { account, watch, since, accept = false }: RecoverFlags,
): Promise<Ending> {
  const { config } = context;
  const fallback = watch === undefined ? null : getWatch(config.watches, watch);
  if (since !== undefined && findDay(since) === null) {
    throw new UsageError(`--since "${since}" is not a date. Nothing was changed. Write it as 2026-01-31.`);
  }
  const accounts =
    account !== undefined
      ? [getAccount(config, account)]
      : fallback !== null
        ? [getAccount(config, fallback.account)]
        : [...config.accounts.values()];
  const signal = stopSignal('What was recovered is kept. Nothing is sent until "courier recover" has ended well.');
  const codes: ExitCode[] = [];
  let jobs = 0;
  for (const each of accounts) {
    const recovered = await readAccount(output, context, each, { fallback, since: since ?? null, accept, signal });
    jobs += recovered.taken.length;
    codes.push(showRecovered(output, each, recovered));
  }
  return { exitCode: pickWorst(codes), summary: { jobs } };
}

type Options = Pick<RecoverSettings, 'fallback' | 'since' | 'accept' | 'signal'>;

/** Reads the list of jobs, then each job that the ledger does not know, and shows how far that is. */
async function readAccount(
  output: Output,
  { config, ledger }: CommandContext,
  account: Account,
  options: Options,
): Promise<AccountRecovered> {
  const watches = [...config.watches.values()];
  const stages = openStages(output, 1);
  let at: { stage: string; done: number; total: number | null } = { stage: 'list', done: 0, total: null };
  const show = (what: string) => stages.at(at.stage, account.id, at.done, at.total, what);
  try {
    return await withService({ config, ledger }, account, options.signal, async (service) => {
      const send: typeof service.request = (request) =>
        service.request(request, (waitMs) => show(`waits ${formatDuration(waitMs)} for the rate limit`));
      await confirmShown(ledger, account, send);
      return recoverAccount({
        ...{ ...options, ledger, account, watches, send },
        progress: {
          listed(done, total) {
            at = { stage: 'list', done, total };
            show('jobs of the service');
          },
          read(done, total, last) {
            at = { stage: 'read', done, total };
            show(last);
          },
          waiting: (waitMs, why) => show(`tries again in ${formatDuration(waitMs)}: ${why}`),
        },
      });
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CommandError(
      toReadFailureCode(error),
      `The history of ${account.id} could not be read to its end: ${error.message}. Nothing was charged, and what was ` +
        'recovered is kept. No run, worker or cron job sends anything for the account until "courier recover" ' +
        'succeeds. Run it again; it continues where it stopped.',
    );
  } finally {
    stages.end();
  }
}

function showRecovered(output: Output, { id }: Account, { taken, held }: AccountRecovered): ExitCode {
  const recovered = taken.filter((each) => each.kind === 'recovered');
  const unassigned = taken.filter((each) => each.kind === 'unassigned');
  const notFound = taken.filter((each) => each.kind === 'not_found');
  const charges = recovered.map(({ charged }) => charged).filter((charged) => charged !== null);
  const counts: RecoveredCounts = {
    jobs: taken.length - notFound.length,
    recovered: recovered.length,
    answered: taken.filter((each) => each.kind === 'settled').length,
    known: taken.filter((each) => each.kind === 'known').length,
    unassigned: unassigned.length,
    notFound: notFound.length,
    urls: recovered.reduce((sum, each) => sum + each.urls, 0),
    charged: sumMicros(ZERO, ...charges),
    unknownCharges: recovered.length - charges.length,
  };
  output.record(toRecoveredRecord({ account: id, ...counts }));
  for (const job of unassigned) output.record(toUnassignedRecord(job));
  output.print(formatRecovered(id, counts));
  const open = recovered.filter((each) => each.open).length;
  if (open > 0)
    output.print(
      `  ${formatCounted(open, 'job')} of them ${open === 1 ? 'has' : 'have'} not ended: a running "courier worker" or the ` +
        'next "courier run --once --wait" follows them to their end.',
    );
  const incomplete = recovered.filter((each) => each.missing > 0);
  for (const line of describeLeftOut(unassigned, incomplete, notFound)) output.print(`  ${line}`);
  if (!held) return EXIT.done;
  output.print(
    `  Nothing is sent of ${id} until they are taken in, or left out permanently with "courier recover --account ${id} --accept".`,
  );
  return EXIT.partial;
}

type Taken<Kind extends JobTaken['kind']> = Extract<JobTaken, { readonly kind: Kind }>;

/** What the ledger still does not know, and what could be bought again because of it. */
function describeLeftOut(
  unassigned: readonly Taken<'unassigned'>[],
  incomplete: readonly Taken<'recovered'>[],
  notFound: readonly Taken<'not_found'>[],
): string[] {
  const lines: string[] = [];
  const [lost] = notFound;
  if (lost !== undefined) {
    lines.push(
      `The service accepted ${formatCounted(notFound.length, 'job')} that it neither lists nor shows, for example ` +
        `${lost.reference}. Their URLs may be bought again. A service may show a job late: wait some minutes, then run this again.`,
    );
  }
  for (const [watch, jobs] of Map.groupBy(unassigned, ({ missingWatch }) => missingWatch)) {
    lines.push(describeUnassigned(watch, jobs));
  }
  const [first] = incomplete;
  if (first !== undefined) {
    const urls = incomplete.reduce((sum, { missing }) => sum + missing, 0);
    lines.push(
      `The service does not show ${formatCounted(urls, 'URL')} of ${formatCounted(incomplete.length, 'job')}, for example ` +
        `of ${first.reference}. They may be bought again. Ask the service which URLs the job has.`,
    );
  }
  return lines;
}

function describeUnassigned(missingWatch: WatchId | null, jobs: readonly Taken<'unassigned'>[]): string {
  const [{ reference, project, sample }] = jobs as [Taken<'unassigned'>];
  const [count, were] = [formatCounted(jobs.length, 'job'), jobs.length === 1 ? 'was' : 'were'];
  const example = `for example ${reference} (project ${project ?? 'not reported'}, ${sample ?? 'URLs not reported'})`;
  return missingWatch === null
    ? `${count} matched no watch and ${were} left out, ${example}. ` +
        'Their URLs may be bought again. If they are yours, name their watch with --watch.'
    : `${count} of the watch ${missingWatch}, which is not in the configuration, ${were} left out, ${example}. Put the watch ` +
        'back and run this again, or name another watch with --watch. With --accept the watch may buy their URLs again ' +
        'when it is back.';
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
