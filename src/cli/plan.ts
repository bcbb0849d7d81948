import { Command } from 'commander';
import { observeCrawl } from '../../activities/observe-crawl.ts';
import { runStart } from '../../activities/runs.ts';
import type { CrawlReport, Hold } from '../../activities/types.ts';
import { formatTry } from '../../contract/money.ts';
import { watchWorkflowId } from '../../workflows/ids.ts';
import type { Watch } from '../config/config.ts';
import { lastBalance } from '../ledger/balance.ts';
import { openBudgets } from '../ledger/budget.ts';
import { budgetLimits } from '../ledger/budget-limits.ts';
import { diffRun, type RunDiff } from '../ledger/diff-run.ts';
import { judgeRun } from '../ledger/judge-run.ts';
import { type Plan, previewRun } from '../ledger/plan-run.ts';
import { skippedByReason } from '../ledger/run-summary.ts';
import { beginRun, endRun } from '../ledger/runs.ts';
import type { RunId } from '../submission/ids.ts';
import { type Books, chosenWatches, withBooks } from './books.ts';
import { action } from './command.ts';
import { CommandError, EXIT, type ExitCode, worstOf } from './exit-codes.ts';
import type { Output } from './output.ts';
import { writePlanFile } from './plan-file.ts';
import { newRunName } from './run-job.ts';

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
      action((output, flags, names: string[], { out, detailedExitcode = false }: PlanFlags) =>
        withBooks(flags, async (books) => {
          const stop = new AbortController();
          for (const signal of ['SIGINT', 'SIGTERM'] as const)
            process.once(signal, () => stop.abort(new Error(`Stopped by ${signal}; nothing was planned.`)));
          const previews: Preview[] = [];
          for (const watch of chosenWatches(books.config, names)) {
            const preview = await previewOf(books, watch, stop.signal);
            await tell(output, books, preview);
            previews.push(preview);
          }
          if (out !== undefined) writePlanFile(out, previews.map(asKept));
          const urls = previews.reduce((sum, { plan }) => sum + plan.urls, 0);
          const codes = previews.map(({ crawl }): ExitCode => (crawl.complete ? EXIT.done : EXIT.partial));
          if (detailedExitcode && urls > 0) codes.push(EXIT.changesPending);
          if (out !== undefined) output.print(`Kept in ${out}. To buy exactly this: courier apply ${out}`);
          return { exitCode: worstOf(codes), summary: { urls, plan: out ?? null } };
        }),
      ),
    );
}

interface Preview {
  readonly watch: Watch;
  readonly run: RunId;
  readonly crawl: CrawlReport;
  readonly diff: RunDiff;
  readonly hold: Hold | null;
  readonly plan: Plan;
}

const asKept = ({ watch, run, plan, hold }: Preview) => ({
  watch: watch.id,
  run,
  digest: plan.digest,
  guards: [...(hold?.reasons ?? [])],
});

async function previewOf({ config, ledger }: Books, watch: Watch, signal: AbortSignal): Promise<Preview> {
  const run = watchWorkflowId(watch.id, `plan-${newRunName(Date.now(), Math.random())}`) as RunId;
  const input = { watch, account: config.accounts.get(watch.account)! };
  const begun = await beginRun(ledger, runStart(watch, run));
  if (begun.kind === 'active') {
    throw new CommandError(
      EXIT.busy,
      `Another run of ${watch.id} is active (${begun.run}). Nothing was planned or charged by this one. ` +
        'Wait for its end ("courier status"), or decide on it when it is held.',
    );
  }
  let end: 'previewed' | 'abandoned' = 'abandoned';
  try {
    const crawl = await observeCrawl(ledger, watch, run, signal).report;
    signal.throwIfAborted();
    const diff = await diffRun(ledger, run, { complete: crawl.complete });
    const hold = await judgeRun(ledger, run, watch.guard, { input });
    const plan = await previewRun(ledger, run, input);
    end = 'previewed';
    return { watch, run, crawl, diff, hold, plan };
  } finally {
    await endRun(ledger, run, end);
  }
}

async function tell(output: Output, { config, ledger }: Books, preview: Preview): Promise<void> {
  const { watch, run, crawl, diff, hold, plan } = preview;
  const skipped = await skippedByReason(ledger, run);
  const balance = (await lastBalance(ledger, watch.account))?.amount ?? null;
  const after = balance === null || plan.cost === null ? null : balance - plan.cost;
  const left = await requestsLeft(config, watch);
  const { digest: _digest, ...told } = plan;
  output.record({
    ...{ type: 'plan', watch: watch.id, run, ...diff, skippedByReason: skipped, ...told, guards: hold?.reasons ?? [] },
    ...{ balance, balanceAfter: after, requestsLeft: left, problems: crawl.problems },
  });
  const cost = plan.cost === null ? 'price not known yet' : `${formatTry(plan.cost)} (price ${plan.basis})`;
  const lines = [
    `${watch.id}: ${diff.found} found, ${diff.new} new, ${diff.changed} changed, ${diff.known} known, ${diff.gone} gone`,
    ...skipped.map(({ reason, urls, sample }) => `  skipped ${urls}: ${reason}, for example ${sample[0] ?? ''}`),
    `  to buy: ${plan.urls} URLs in ${plan.batches} batches, ${cost}`,
    `  requests: ${plan.batches} to submit; left now ${left.minute} a minute, ${left.hour} an hour, ${left.day} a day`,
    ...(balance === null
      ? []
      : [
          `  balance ${formatTry(balance)}${after === null ? '' : `, then ${formatTry((balance - plan.cost!) as typeof balance)}`}`,
        ]),
    ...(plan.held > 0 ? [`  held back: ${plan.held} URLs: ${plan.heldReason}`] : []),
    ...(hold?.reasons ?? []).map((reason) => `  a guard would hold this: ${reason}`),
    ...crawl.problems.map((problem) => `  incomplete: ${problem}`),
  ];
  output.print(lines.join('\n'));
}

async function requestsLeft({ accounts, ledgerUrl }: Books['config'], watch: Watch) {
  const { id, limits } = accounts.get(watch.account)!;
  const budgets = await openBudgets(ledgerUrl);
  try {
    return await budgets.budgetOf(id, budgetLimits(limits, limits.minuteMs)).left();
  } finally {
    await budgets.close();
  }
}
