import type { Command } from 'commander';
import { EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import { type AccountResources, getAccountResources } from '../../connector/account-resources.ts';
import { type Preview, previewWatch } from '../../connector/preview.ts';
import { confirmKey } from '../../connector/refresh-account.ts';
import type { findSpendingHold } from '../../connector/spending-hold.ts';
import { listNewPrices } from '../../ledger/money/price.ts';
import { previewRuns } from '../../ledger/plans/preview-runs.ts';
import { listPlannedUrls, type PlannedUrl } from '../../ledger/reports/planned-urls.ts';
import { listSkippedByReason } from '../../ledger/reports/run-summary.ts';
import { formatNewPrice } from '../../submission/new-price.ts';
import { type Ending, toReadFailureCode } from '../output/command.ts';
import { listNotices } from '../output/notices.ts';
import {
  type AccountPlan,
  formatAccountPlan,
  formatPlannedUrl,
  formatShortfall,
  formatUnreadBalance,
  formatWatchPlan,
  sumAccountPlan,
  type WatchPlan,
} from '../output/plan-text.ts';
import { openStages } from '../output/progress.ts';
import { toAccountPlanRecord, toPlannedUrlRecord, toPlanRecord } from '../output/records/plan.ts';
import { type CommandContext, getAccount, ledgerAction, selectWatches } from '../with-ledger.ts';

interface PlanFlags {
  readonly out?: string;
  readonly urls?: boolean;
  readonly detailedExitcode?: boolean;
}

export function planCommand(command: Command): void {
  command
    .argument('[watch...]', 'watches to plan (default: all)')
    .option('-o, --out <file>', 'keep the plan for "courier apply"')
    .option('--urls', 'also list every URL that would be bought, with why, and those that a cap holds back')
    .option('--detailed-exitcode', 'exit with 4 when something would be bought')
    .action(ledgerAction(plan));
}

async function plan(
  output: Output,
  context: CommandContext,
  names: readonly string[],
  { out, urls = false, detailedExitcode = false }: PlanFlags,
): Promise<Ending> {
  const { config, ledger } = context;
  const signal = stopSignal('Nothing was planned or charged.');
  const watches = selectWatches(config, names);
  // First, because a guard asks what the balance and its floor allow.
  const accounts: AccountResources[] = [];
  for (const account of new Set(watches.map((watch) => watch.account))) {
    accounts.push(await getAccountResources(config, ledger, account, signal));
    await confirmKey(context, account, signal);
  }
  const previews: Preview[] = [];
  const stages = openStages(output, watches.length);
  try {
    for (const watch of watches) {
      const preview = await previewWatch(context, watch, signal, (urls) => stages.at('crawl', watch.id, urls, null));
      stages.at('crawl', watch.id, preview.diff.found, preview.diff.found);
      previews.push(preview);
    }
  } finally {
    stages.end();
  }
  const plans = await planAll(context, previews, urls);
  const codes = plans.map((each): ExitCode => showWatch(output, each));
  for (const account of accounts) {
    const { limits, pricePerUrl } = getAccount(config, account.account);
    const own = plans.filter(({ watch }) => watch.account === account.account);
    const sum = sumAccountPlan(account, own, limits.submissionsPerMinute);
    // Only what would be bought is worth the requests of a comparison, and the modules that it needs.
    const hold = sum.urls === 0 ? null : await findHold(config, ledger, account.account, signal);
    const changed = await listNewPrices(ledger, account.account, pricePerUrl);
    codes.push(
      showAccount(
        output,
        sum,
        hold,
        changed.map((price) => `${formatNewPrice(price)}.`),
      ),
    );
  }
  if (out !== undefined) {
    // Loaded here: checking plan files takes a schema library that most plans do not need.
    const { writePlanFile } = await import('../plan-file.ts');
    writePlanFile(out, plans);
    output.print(`Kept in ${out}. To buy exactly this: courier apply ${out}`);
  }
  const wanted = plans.reduce((sum, each) => sum + each.plan.urls, 0);
  if (detailedExitcode && wanted > 0) codes.push(EXIT.changesPending);
  return { exitCode: pickWorst(codes), summary: { urls: wanted, plan_file: out ?? null } };
}

const findHold: typeof findSpendingHold = async (...args) =>
  (await import('../../connector/spending-hold.ts')).findSpendingHold(...args);

/** Planned one after the other, as they would be bought: a cap of the account counts once for all of them. */
async function planAll(
  { ledger }: CommandContext,
  previews: readonly Preview[],
  withUrls: boolean,
): Promise<WatchPlan[]> {
  const urls = new Map<number, readonly PlannedUrl[]>();
  const plans = await previewRuns(
    ledger,
    previews,
    withUrls ? { inspect: async (tx, row) => void urls.set(urls.size, await listPlannedUrls(tx, row)) } : {},
  );
  return Promise.all(
    plans.map(async (plan, at) => {
      const preview = previews[at] as Preview;
      const skipped = await listSkippedByReason(ledger, preview.run);
      return { ...preview, plan, skipped, urls: urls.get(at) ?? [] };
    }),
  );
}

function showWatch(output: Output, watchPlan: WatchPlan): ExitCode {
  const { watch, crawl, diff, plan } = watchPlan;
  const result = { crawl, counts: diff, plan, report: null, decision: 'none needed' } as const;
  const { sentences, exitCode } = listNotices(watch, result);
  output.record(toPlanRecord({ ...watchPlan, notices: sentences }));
  output.print(formatWatchPlan(watchPlan));
  for (const sentence of sentences) output.print(`  ${sentence}`);
  for (const url of watchPlan.urls) {
    output.record(toPlannedUrlRecord({ watch: watch.id, ...url }));
    output.print(formatPlannedUrl(url));
  }
  return exitCode;
}

function showAccount(output: Output, account: AccountPlan, hold: string | null, changed: readonly string[]): ExitCode {
  const notices = [...changed];
  const codes: ExitCode[] = [];
  const { failure } = account;
  if (failure !== null) {
    notices.push(formatUnreadBalance(account, failure.message));
    codes.push(toReadFailureCode(failure));
  }
  if (hold !== null) {
    notices.push(`A run would submit nothing of ${account.account}: ${hold}.`);
    codes.push(EXIT.partial);
  }
  const shortfall = formatShortfall(account);
  if (shortfall !== null) {
    notices.push(shortfall);
    codes.push(EXIT.balanceOrCap);
  }
  output.record(toAccountPlanRecord({ ...account, notices }));
  output.print(formatAccountPlan(account));
  for (const notice of notices) output.print(`  ${notice}`);
  return pickWorst(codes);
}
