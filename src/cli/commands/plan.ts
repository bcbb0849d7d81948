import { Command } from 'commander';
import { EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import { type AccountResources, getAccountResources } from '../../connector/account-resources.ts';
import { type Preview, previewWatch } from '../../connector/preview.ts';
import type { RunDiff } from '../../ledger/crawl/diff-run.ts';
import type { Plan } from '../../ledger/plans/make-plan.ts';
import { previewRuns } from '../../ledger/plans/preview-runs.ts';
import { listSkippedByReason } from '../../ledger/reports/run-summary.ts';
import { countGoneSinceLastRun } from '../../ledger/runs/gone-since-last-run.ts';
import { action, type Ending } from '../output/command.ts';
import { listNotices } from '../output/notices.ts';
import { type AccountPlan, accountPlan, accountText, type WatchPlan, watchText } from '../output/plan-text.ts';
import { openStages } from '../output/stages.ts';
import { writePlanFile } from '../plan-file.ts';
import { type CommandContext, selectWatches, withLedger } from '../with-ledger.ts';

interface PlanFlags {
  readonly out?: string;
  readonly detailedExitcode?: boolean;
}

export function planCommand(): Command {
  return new Command('plan')
    .description('what a run would buy now and what it would cost; buys nothing and needs no Temporal server')
    .argument('[watch...]', 'default: all')
    .option('-o, --out <file>', 'keep the plan for "courier apply"')
    .option('--detailed-exitcode', 'end with 4 when something would be bought')
    .action(
      action((output, flags, names: string[], options: PlanFlags) =>
        withLedger(flags, (books) => plan(output, books, names, options)),
      ),
    );
}

async function plan(
  output: Output,
  books: CommandContext,
  names: readonly string[],
  { out, detailedExitcode = false }: PlanFlags,
): Promise<Ending> {
  const signal = stopSignal('Nothing was planned or charged.');
  const watches = selectWatches(books.config, names);
  const previews: Preview[] = [];
  const stages = openStages(output, watches.length);
  try {
    for (const watch of watches) {
      const preview = await previewWatch(books, watch, signal, (urls) => stages.at('crawl', watch.id, urls, null));
      stages.at('crawl', watch.id, preview.diff.found, preview.diff.found);
      previews.push(preview);
    }
  } finally {
    stages.end();
  }
  // First, because a balance floor is one of the caps that are planned with.
  const accounts: AccountResources[] = [];
  for (const account of new Set(watches.map((watch) => watch.account))) {
    accounts.push(await getAccountResources(books.config, books.ledger, account, signal, output.say));
  }
  const plans = await planned(books, previews);
  const codes = plans.map((each): ExitCode => tellWatch(output, each));
  for (const account of accounts) {
    const { limits } = books.config.accounts.get(account.account)!;
    const own = plans.filter(({ watch }) => watch.account === account.account);
    tellAccount(output, accountPlan(account, own, limits.submissionsPerMinute));
  }
  if (out !== undefined) {
    writePlanFile(out, plans);
    output.print(`Kept in ${out}. To buy exactly this: courier apply ${out}`);
  }
  const urls = plans.reduce((sum, each) => sum + each.plan.urls, 0);
  if (detailedExitcode && urls > 0) codes.push(EXIT.changesPending);
  return { exitCode: pickWorst(codes), summary: { urls, plan: out ?? null } };
}

/** Planned one after the other, as they would be bought: a cap of the account counts once for all of them. */
async function planned({ ledger }: CommandContext, previews: readonly Preview[]): Promise<WatchPlan[]> {
  const plans = await previewRuns(ledger, previews);
  return Promise.all(
    previews.map(async (preview, at) => {
      const plan = plans[at]!;
      const diff = await sinceBought(ledger, preview, plan);
      return { ...preview, diff, plan, skipped: await listSkippedByReason(ledger, preview.run) };
    }),
  );
}

/** Counted from what was bought, not from the last look: a plan made twice says the same twice. */
async function sinceBought(ledger: CommandContext['ledger'], { run, diff }: Preview, { due }: Plan): Promise<RunDiff> {
  const known = Math.max(0, diff.found - due.new - due.changed);
  return { ...diff, new: due.new, changed: due.changed, known, gone: await countGoneSinceLastRun(ledger.db, run) };
}

function tellWatch(output: Output, told: WatchPlan): ExitCode {
  const { watch, run, crawl, diff, plan, guards, skipped } = told;
  const { digest: _digest, ...numbers } = plan;
  const looked = { crawl, counts: diff, plan: null, report: null, decision: 'none needed' } as const;
  const { sentences, exitCode } = listNotices(watch, looked, null);
  output.record({ type: 'plan', watch: watch.id, run, diff, ...numbers, skipped, guards, findings: sentences });
  output.print(watchText(told));
  for (const sentence of sentences) output.print(`  ${sentence}`);
  return exitCode;
}

function tellAccount(output: Output, account: AccountPlan): void {
  output.record({ type: 'account', ...account });
  output.print(accountText(account));
}
