import { userInfo } from 'node:os';
import type { Client } from '@temporalio/client';
import type { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import { type Output, report } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import { refreshAccount } from '../../connector/refresh-account.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { applyPlans, type PlanToApply } from '../../ledger/plans/apply-plans.ts';
import type { Plan } from '../../ledger/plans/read-plan.ts';
import type { AccountId, LedgerId, RunId } from '../../submission/ids.ts';
import { ensureSearchAttributes } from '../../temporal/ensure-search-attributes.ts';
import { wakeDispatcher } from '../../temporal-api/wake-dispatcher.ts';
import { action, type Ending } from '../output/command.ts';
import { formatCounted } from '../output/format.ts';
import { toAppliedRecord } from '../output/records/plan.ts';
import { type PlanFile, readPlanFile } from '../plan-file.ts';
import { type CommandContext, getAccount, getWatch, withLedger } from '../with-ledger.ts';

export function applyCommand(command: Command): void {
  command
    .argument('<file>', 'made by "courier plan -o FILE"')
    .option('--approve', 'apply even if a guard would hold the plan')
    .action(
      action((output, flags, file: string, { approve = false }: { approve?: boolean }) =>
        withLedger(flags, (context) => apply(output, context, readPlanFile(file), approve)),
      ),
    );
}

async function apply(output: Output, context: CommandContext, plan: PlanFile, approve: boolean): Promise<Ending> {
  const { ledger, config, file } = context;
  if (!approve) requireNoGuard(plan);
  const signal = stopSignal('Nothing was planned or charged.');
  const plans = plan.watches.map(({ watch: name, run, digest }): PlanToApply & { account: AccountId } => {
    const watch = getWatch(config.watches, name);
    const account = getAccount(config, watch.account);
    return { run: run as RunId, digest, input: { watch, account }, account: account.id };
  });
  // The server first: a plan must not be used up when no dispatcher can be reached.
  return withTemporal(config, file, async ({ client, connection, namespace }) => {
    await ensureSearchAttributes(connection, namespace);
    // The price and the balance of now decide whether the plan still costs what it says.
    for (const id of new Set(plans.map(({ account }) => account))) await refreshAccount(context, id, signal);
    const applied = await applyPlans(ledger, plans, {
      approvedBy: approve ? `${userInfo().username}: courier apply` : null,
    });
    for (const [at, { input, run }] of plans.entries()) {
      const each = applied[at];
      if (each === undefined) throw new RangeError('applyPlans returned fewer plans than it was given');
      output.record(toAppliedRecord({ watch: input.watch.id, run }, each));
      report(output, EXIT.done, [formatApplied(input.watch.id, each)]);
    }
    for (const account of new Set(plans.map((each) => each.account))) await wake(client, ledger.id, account);
    return { exitCode: EXIT.done, summary: { urls: applied.reduce((sum, { urls }) => sum + urls, 0) } };
  });
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
