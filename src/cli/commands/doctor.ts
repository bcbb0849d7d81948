import type { Command } from 'commander';
import { formatTry, type Micros } from '../../../contract/money.ts';
import { CommandError, EXIT, type ExitCode } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import { formatProblem } from '../../config/config-error.ts';
import { loadConfig, loadConfigFiles } from '../../config/load.ts';
import { checkLedger } from '../../connector/doctor/check-ledger.ts';
import { checkNotifications } from '../../connector/doctor/check-notifications.ts';
import { checkService } from '../../connector/doctor/check-service.ts';
import { checkSitemaps } from '../../connector/doctor/check-sitemaps.ts';
import { checkTemporal } from '../../connector/doctor/check-temporal.ts';
import { type Finding, fail, ok, warn } from '../../connector/doctor/finding.ts';
import { forecastRuns } from '../../connector/forecast.ts';
import { DatabaseUnavailableError, isLasting } from '../../database/database.ts';
import { LEDGER_REMEDY } from '../../ledger/describe-failure.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { listRuns } from '../../ledger/reports/totals.ts';
import type { WatchId } from '../../submission/ids.ts';
import { formatPriceEffect } from '../../submission/new-price.ts';
import { action, type Ending } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { toFindingRecord } from '../output/records/doctor.ts';
import { createTimeLimit } from '../time-limit.ts';
import { parseUrlArgument } from '../url-argument.ts';
import { type CommandContext, withLedger } from '../with-ledger.ts';
import { learnServices } from './doctor-learn.ts';
import type { PageToTry } from './doctor-spend.ts';
import { parseMaxCost } from './run.ts';
import { findAccountProblems, findRemovedProblems, findWatchProblems } from './status-check.ts';

export function doctorCommand(command: Command): void {
  command
    .option('--no-sitemaps', 'do not read the sitemaps')
    .option('--learn', 'only ask the services what is free: what is read from where, and settings for the rest')
    .option(
      '--spend <amount>',
      'with --learn: buy one page for at most this, as 1TRY, and follow its job to the end',
      parseMaxCost,
    )
    .option('--page <url>', 'the page that --spend buys: one that a watch lists and that is due')
    .option('--watch <watch>', 'its watch, where several have it in scope')
    .option('--max-time <duration>', 'with --spend: end with 5 after this long; the job goes on')
    .action(
      action(async (output, flags, options: DoctorFlags) => {
        const { sitemaps, learn = false } = options;
        const trial = toTrial(options);
        if (trial !== null) {
          // Loaded here: Temporal's SDK alone takes a second and 100 MB.
          const { tryPage } = await import('./doctor-spend.ts');
          return withLedger(flags, (context) => tryPage(output, context, trial, createTimeLimit(options.maxTime)));
        }
        if (learn) return withLedger(flags, (context) => learnServices(output, context));
        try {
          return await withLedger(flags, (context) => diagnose(output, context, sitemaps));
        } catch (error) {
          if (!(error instanceof DatabaseUnavailableError)) throw error;
          return diagnoseWithoutLedger(output, flags.config, error, sitemaps);
        }
      }),
    );
}

interface DoctorFlags {
  readonly sitemaps: boolean;
  readonly learn?: boolean;
  readonly spend?: Micros;
  readonly page?: string;
  readonly watch?: string;
  readonly maxTime?: string;
}

/** What is to be bought; null: nothing. */
function toTrial({ learn = false, spend, page, watch, maxTime }: DoctorFlags): PageToTry | null {
  if (spend === undefined) {
    if (page === undefined && watch === undefined && maxTime === undefined) return null;
    throw new CommandError(EXIT.usage, '--page, --watch and --max-time belong to --spend AMOUNT. Nothing was bought.');
  }
  if (!learn) throw new CommandError(EXIT.usage, '--spend belongs to --learn. Nothing was bought.');
  if (page === undefined) {
    const message =
      'Name the page that --spend buys with --page URL. Nothing was bought. "courier plan --urls" lists what is due.';
    throw new CommandError(EXIT.usage, message);
  }
  return { page: parseUrlArgument(page), most: spend, watch: watch ?? null };
}

/** What can be looked at while the ledger cannot be opened: an empty one in memory stands in for it. */
async function diagnoseWithoutLedger(
  output: Output,
  file: string,
  error: DatabaseUnavailableError,
  readsSitemaps: boolean,
): Promise<Ending> {
  const config = { ...loadConfig(file), ledgerUrl: 'sqlite::memory:' };
  const ledger = await openLedger(config.ledgerUrl);
  const next = LEDGER_REMEDY[error.failure].replace(/^./, (first) => first.toLowerCase());
  const transient = !isLasting(error.failure);
  const failed = fail({ check: 'ledger', subject: null }, error.message, next, { transient });
  try {
    return await diagnose(output, { config, file, ledger }, readsSitemaps, failed);
  } finally {
    await ledger.close();
  }
}

/** Shows each finding as soon as it is made. `unusable`: why nothing can be asked of the ledger. */
async function diagnose(
  output: Output,
  context: CommandContext,
  readsSitemaps: boolean,
  unusable: Finding | null = null,
): Promise<Ending> {
  const { config, file, ledger } = context;
  const signal = stopSignal('Nothing was changed.');
  const findings: Finding[] = [];
  const show = (found: readonly Finding[]) => {
    for (const finding of found) {
      findings.push(finding);
      output.record(toFindingRecord(finding));
      report(output, finding.level === 'ok' ? EXIT.done : EXIT.partial, [formatFinding(finding)]);
    }
  };
  const { accounts, watches } = config;
  const parts = `${formatCounted(accounts.size, 'account')}, ${formatCounted(watches.size, 'watch', 'watches')}`;
  const about = { check: 'configuration', subject: null } as const;
  show([ok(about, `${file} is valid: ${parts}`)]);
  show(loadConfigFiles(file).warnings.map((each) => warn(about, formatProblem(each), CONFIG_WARNING)));
  show(unusable === null ? await checkLedger(ledger, config.ledgerUrl) : [unusable]);
  for (const account of accounts.values()) show(await checkService(config, ledger, account, signal));
  if (unusable === null) {
    show(await checkMoney(context));
    show(await checkTemporal(config, file, ledger.id));
  }
  if (readsSitemaps) {
    for (const watch of watches.values()) show(await checkSitemaps(watch, signal));
  }
  show(await checkNotifications(config, ledger));
  if (unusable === null) show(await checkRuns(context));
  const counts = { ok: 0, warn: 0, fail: 0 };
  for (const { level } of findings) counts[level] += 1;
  report(output, EXIT.done, [`${counts.ok} ok, ${counts.warn} warn, ${counts.fail} fail`]);
  return {
    exitCode: toExitCode(findings),
    summary: { findings: findings.length, warnings: counts.warn, failures: counts.fail, proposals: 0 },
  };
}

const CONFIG_WARNING = 'correct the setting, or leave it if it is meant so';

function toExitCode(findings: readonly Finding[]): ExitCode {
  const failed = findings.filter(({ level }) => level === 'fail');
  if (failed.length === 0) return EXIT.done;
  // Nothing else matters before there is a key that works.
  if (failed.some(({ isKeyRejected }) => isKeyRejected === true)) return EXIT.keyRefused;
  return failed.every(({ transient }) => transient) ? EXIT.transient : EXIT.partial;
}

/** Whether the balances suffice for the next runs, as far as the ledger knows them. */
async function checkMoney({ config, ledger }: CommandContext): Promise<Finding[]> {
  const { accounts, runs } = await forecastRuns({ config, ledger, isPaused: () => false });
  const changed = accounts.flatMap(({ account, newPrices }) =>
    newPrices.map((price) =>
      warn(
        { check: 'price', subject: account },
        formatPriceEffect(price),
        'set price_per_url to the new price once you have seen it; caps and plans count with it already',
      ),
    ),
  );
  const covered = accounts.flatMap(({ account, balance, urls, cost }): Finding[] => {
    const about = { check: 'balance', subject: account } as const;
    const limited = runs.find((run) => run.account === account && run.limit !== null && run.at !== null);
    if (limited !== undefined) {
      const message = `the next run of ${limited.watch} wants about ${limited.urls} URLs: ${limited.limit}`;
      return [warn(about, message, 'top up, or raise the cap; the rest stays due')];
    }
    if (balance === null || cost === null) return [];
    return [ok(about, `covers the next runs (about ${formatCounted(urls, 'URL')}, ${formatTry(cost)})`)];
  });
  return [...changed, ...covered];
}

/** Whether runs come and end as they should, and what waits for you. */
async function checkRuns({ config, ledger }: CommandContext): Promise<Finding[]> {
  const problems = [];
  const fresh: Finding[] = [];
  for (const watch of config.watches.values()) {
    const isFresh = watch.schedule !== null && !watch.paused && !(await hasRun(ledger, watch.id));
    if (!isFresh) problems.push(...(await findWatchProblems(ledger, watch)));
    else fresh.push(warn({ check: 'runs', subject: watch.id }, 'no run yet', FIRST_RUN));
  }
  problems.push(...(await findRemovedProblems({ config, ledger })));
  for (const account of config.accounts.values())
    problems.push(...(await findAccountProblems({ config, ledger }, account)));
  if (problems.length + fresh.length === 0) return [ok({ check: 'runs', subject: null }, 'nothing waits for you')];
  const failures = problems.map(({ subject, problem, exitCode }) =>
    fail({ check: 'runs', subject }, problem, 'see "courier status"', { transient: exitCode === EXIT.transient }),
  );
  return [...fresh, ...failures];
}

/** A new watch is not a failure. */
const FIRST_RUN = 'see what a run would buy with "courier plan", then "courier run --once", or start "courier worker"';

/** A plan is not a run. */
const hasRun = async (ledger: CommandContext['ledger'], watch: WatchId): Promise<boolean> =>
  (await listRuns(ledger, watch, 20)).some(({ endState }) => endState !== 'previewed');

const WIDTH = 24;

function formatFinding({ level, check, subject, message, next }: Finding): string {
  const what = `${check.replace('_', ' ')}${subject === null ? '' : ` (${subject})`}`;
  const todo = next === null ? '' : `\n${' '.repeat(8 + WIDTH)}do: ${next}`;
  return `${level.padEnd(6)}  ${what.padEnd(WIDTH)}${message}${todo}`;
}
