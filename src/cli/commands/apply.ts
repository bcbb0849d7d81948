import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { CommandError, EXIT, type ExitCode, pickWorst } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Config, Watch } from '../../config/config.ts';
import { refreshAccount } from '../../connector/refresh-account.ts';
import { createStallDetector } from '../../connector/stall-detector.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { applyPlans, type PlanToApply } from '../../ledger/plans/apply-plans.ts';
import type { Plan } from '../../ledger/plans/read-plan.ts';
import { getRunSummary } from '../../ledger/reports/run-summary.ts';
import type { AccountId, LedgerId, RunId } from '../../submission/ids.ts';
import { ensureSearchAttributes } from '../../temporal/ensure-search-attributes.ts';
import { WATCH_PHASE } from '../../temporal-api/phases.ts';
import { wakeDispatcher } from '../../temporal-api/wake-dispatcher.ts';
import type { Ending } from '../output/command.ts';
import { formatCharge, formatCounted } from '../output/format.ts';
import { toAppliedRecord } from '../output/records/plan.ts';
import { type PlanFile, readPlanFile } from '../plan-file.ts';
import { createTimeLimit, MAX_TIME_OPTION } from '../time-limit.ts';
import { type CommandContext, getAccount, getWatch, ledgerAction } from '../with-ledger.ts';
import { workHere } from '../work-here.ts';

interface ApplyFlags {
  readonly approve?: boolean;
  readonly once?: boolean;
  readonly maxTime?: string;
}

export function applyCommand(command: Command): void {
  command
    .argument('<file>', 'made by "courier plan -o FILE"')
    .option('--approve', 'apply even if a guard would hold the plan')
    .option(
      '--once',
      'work in this process until the service has accepted it; without it, a "courier worker" does the work',
    )
    .option(...MAX_TIME_OPTION)
    .action(
      ledgerAction((output, context, file: string, { approve = false, once = false, maxTime }: ApplyFlags) => {
        const plan = readPlanFile(file);
        const limits = createTimeLimit(maxTime);
        if (!approve) requireNoGuard(plan);
        const plans = toPlans(context.config, plan);
        const by = approve ? `${userInfo().username}: courier apply` : null;
        return once ? applyHere(output, context, plans, by, limits) : applyAtWorker(output, context, plans, by);
      }),
    );
}

/** A plan of the file, with the settings of its watch. */
interface FiledPlan extends PlanToApply {
  readonly watch: Watch;
}

const toPlans = (config: Config, { watches }: PlanFile): FiledPlan[] =>
  watches.map(({ watch: name, run, digest }) => {
    const watch = getWatch(config.watches, name);
    return { run: run as RunId, digest, watch, input: { watch, account: getAccount(config, watch.account) } };
  });

type Plans = readonly FiledPlan[];

async function applyAtWorker(
  output: Output,
  context: CommandContext,
  plans: Plans,
  approvedBy: string | null,
): Promise<Ending> {
  const signal = stopSignal('Nothing was planned or charged.');
  // The server first: a plan must not be used up when no dispatcher can be reached.
  return withTemporal(context.config, context.file, async ({ client, connection, namespace }) => {
    await ensureSearchAttributes(connection, namespace);
    const urls = await apply(output, context, client, { plans, approvedBy, signal });
    return { summary: { urls } };
  });
}

/** Carries out the plans and sends them in this process, where no worker would: with cron alone. */
function applyHere(
  output: Output,
  context: CommandContext,
  plans: Plans,
  approvedBy: string | null,
  limits: readonly AbortSignal[],
): Promise<Ending> {
  const signal = limits.length === 0 ? AbortSignal.timeout(TIMEOUT_MS) : AbortSignal.any([...limits]);
  const follow = async (client: Client, over: AbortSignal): Promise<Ending> => {
    const urls = await apply(output, context, client, { plans, approvedBy, signal });
    const codes: ExitCode[] = [];
    for (const { watch, run } of plans) codes.push(await followPlan(output, context, client, { watch, run, over }));
    return { exitCode: pickWorst(codes), summary: { urls } };
  };
  const watches = plans.map(({ watch }) => watch);
  return workHere(output, context, watches, follow, limits);
}

/** As the default of `courier run --timeout`. */
const TIMEOUT_MS = 900_000;
const CHECK_EVERY_MS = 400;

/** Waits until the service has answered every batch of a plan; throws where waiting longer cannot help, as a run does. */
async function followPlan(
  output: Output,
  { config, ledger }: CommandContext,
  client: Client,
  { watch, run, over }: { readonly watch: Watch; readonly run: RunId; readonly over: AbortSignal },
): Promise<ExitCode> {
  const detectStall = createStallDetector(
    client,
    ledger,
    { watch, account: getAccount(config, watch.account) },
    run,
    TIMEOUT_MS,
  );
  for (;;) {
    const summary = await getRunSummary(ledger, run);
    if (summary.unanswered === 0) {
      const { submitted, needsReview } = summary;
      const review =
        needsReview === 0 ? '' : `; ${formatCounted(needsReview, 'URL')} in batches that need review: courier status`;
      const exitCode = needsReview === 0 ? EXIT.done : EXIT.partial;
      report(output, exitCode, [
        `${watch.id}: ${formatCounted(submitted, 'URL')} submitted, charged ${formatCharge(summary)}${review}`,
      ]);
      return exitCode;
    }
    await detectStall({ phase: WATCH_PHASE.submitting, read: 0, summary });
    await sleep(CHECK_EVERY_MS, undefined, { signal: over });
  }
}

interface Applying {
  readonly plans: Plans;
  /** Who decided; null: no guard asks. */
  readonly approvedBy: string | null;
  readonly signal: AbortSignal;
}

/** Plans what the file says and wakes the dispatchers. Returns the number of URLs. */
async function apply(
  output: Output,
  context: CommandContext,
  client: Client,
  { plans, approvedBy, signal }: Applying,
): Promise<number> {
  const { ledger } = context;
  const accounts = new Set(plans.map(({ watch }) => watch.account));
  // The current price and balance decide whether the plan still costs what it says.
  for (const id of accounts) await refreshAccount(context, id, signal);
  const applied = await applyPlans(ledger, plans, { approvedBy });
  for (const [at, { watch, run }] of plans.entries()) {
    const each = applied[at];
    if (each === undefined) throw new RangeError('applyPlans returned fewer plans than it was given');
    output.record(toAppliedRecord({ watch: watch.id, run, ...each }));
    report(output, EXIT.done, [formatApplied(watch.id, each)]);
  }
  for (const account of accounts) await wake(client, ledger.id, account);
  return applied.reduce((sum, { urls }) => sum + urls, 0);
}

function requireNoGuard({ watches }: PlanFile): void {
  const guarded = watches.filter(({ guards }) => guards.length > 0);
  if (guarded.length === 0) return;
  throw new CommandError(
    EXIT.guard,
    `A guard holds ${guarded.map(({ watch, guards }) => `${watch} (${guards.join('; ')})`).join(', ')}. ` +
      'Nothing was planned or charged. Check the plan, then apply it with --approve.',
  );
}

function formatApplied(watch: string, { urls, batches, cost }: Plan): string {
  const price = cost === null ? 'price not known yet' : formatTry(cost);
  return (
    `${watch}: ${formatCounted(urls, 'URL')} in ${formatCounted(batches, 'batch', 'batches')}, ${price}; ` +
    'sent as the rate limits allow.'
  );
}

async function wake(client: Client, ledger: LedgerId, account: AccountId): Promise<void> {
  await wakeDispatcher(client, ledger, account).catch((error: Error) => {
    throw new CommandError(
      EXIT.transient,
      `The plan was applied and its batches are in the ledger, but the dispatcher of ${account} could not be ` +
        `reached (${error.message}). The next run of any watch of the account sends them.`,
      { cause: error },
    );
  });
}
