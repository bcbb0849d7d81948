import { Command } from 'commander';
import { formatTry, type Micros, sumMicros, ZERO } from '../../../contract/money.ts';
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
import { openStages } from '../output/stages.ts';
import { type CommandContext, getWatch, withLedger } from '../with-ledger.ts';

interface RecoverFlags {
  readonly account?: string;
  readonly watch?: string;
  readonly since?: string;
}

export function recoverCommand(): Command {
  return new Command('recover')
    .description("rebuild a lost or old ledger from the service's own history, so that nothing is bought again")
    .option('--account <account>', 'only of this account; default: all')
    .option('--watch <watch>', 'whose the jobs are that fit no watch by their project or hosts')
    .option('--since <date>', 'only jobs from this day on, as 2026-01-31')
    .action(
      action((output, flags, options: RecoverFlags) => withLedger(flags, (books) => recover(output, books, options))),
    );
}

async function recover(
  output: Output,
  books: CommandContext,
  { account, watch, since }: RecoverFlags,
): Promise<Ending> {
  const { config } = books;
  const fallback = watch === undefined ? null : getWatch(config.watches, watch);
  if (since !== undefined && !isDate(since)) {
    throw new CommandError(EXIT.usage, `--since "${since}" is not a date as 2026-01-31. Nothing was changed.`);
  }
  const accounts = [...config.accounts.values()].filter(({ id }) =>
    account !== undefined ? id === account : fallback === null || fallback.account === id,
  );
  if (accounts.length === 0) {
    throw new CommandError(
      EXIT.usage,
      `There is no account "${account}" in the configuration. Nothing was changed. ` +
        `It has: ${[...config.accounts.keys()].join(', ')}.`,
    );
  }
  const signal = stopSignal('What was recovered is kept; the next "courier recover" goes on with the rest.');
  const codes: ExitCode[] = [];
  let jobs = 0;
  for (const each of accounts) {
    const taken = await recoverAccount(output, books, each, { fallback, since: since ?? null, signal });
    jobs += taken.length;
    codes.push(tell(output, each, taken));
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
          stages.at(stage, account.id, done, total, `waits ${Math.ceil(waitMs / 1_000)} s for the limit of requests`);
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
      `The history of ${account.id} could not be read to its end: ${error.message}. Nothing was charged; what was ` +
        'recovered is kept, and the next "courier recover" goes on with the rest.',
    );
  } finally {
    stages.end();
  }
}

function tell(output: Output, { id }: Account, taken: readonly JobTaken[]): ExitCode {
  const of = (kind: JobTaken['kind']) => taken.filter((each) => each.kind === kind);
  const recovered = taken.filter((each) => each.kind === 'recovered');
  const urls = recovered.reduce((sum, each) => sum + each.urls, 0);
  const charged = recovered.reduce<Micros>((sum, each) => sumMicros(sum, each.charged ?? ZERO), ZERO);
  const untold = recovered.filter((each) => each.charged === null).length;
  const unassigned = taken.filter((each) => each.kind === 'unassigned');
  const counts = {
    jobs: taken.length,
    recovered: recovered.length,
    known: of('known').length,
    settled: of('settled').length,
  };
  output.record({ type: 'recovered', account: id, ...counts, urls, charged, untold, unassigned: unassigned.length });
  for (const { reference, project, sample } of unassigned)
    output.record({ type: 'unassigned', reference, project, sample });
  output.print(
    `${id}: ${counts.jobs} jobs at the service; ${counts.recovered} recovered (${urls} URLs, ${formatTry(charged)}` +
      `${untold === 0 ? '' : `, and ${untold} whose charge is not told`}), ${counts.settled} were waiting for their answer, ` +
      `${counts.known} were known`,
  );
  const open = taken.filter((each) => each.kind === 'recovered' && each.open).length;
  if (open > 0)
    output.print(
      `  ${open} of them have not ended: "courier worker", started anew, and "courier run --once" follow them.`,
    );
  if (unassigned.length === 0) return EXIT.done;
  const [first] = unassigned;
  output.print(
    `  ${unassigned.length} jobs fit no watch and were left out, for example ${first!.reference} ` +
      `(project ${first!.project ?? 'not told'}, ${first!.sample ?? 'no URLs told'}). Their URLs may be bought again: ` +
      'name the watch they belong to with --watch, or leave them out if they are somebody else’s.',
  );
  return EXIT.partial;
}
