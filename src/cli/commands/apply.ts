import { userInfo } from 'node:os';
import { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { CommandError, EXIT } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { applyPlans } from '../../ledger/plans/apply-plans.ts';
import type { RunId } from '../../submission/ids.ts';
import { ensureSearchAttributes } from '../../temporal/ensure-search-attributes.ts';
import { wakeDispatcher } from '../../temporal-api/wake-dispatcher.ts';
import { action, type Ending } from '../output/command.ts';
import { counted } from '../output/plan-text.ts';
import { type PlanFile, readPlanFile } from '../plan-file.ts';
import { type CommandContext, getWatch, withLedger } from '../with-ledger.ts';

export function applyCommand(): Command {
  return new Command('apply')
    .description('buy exactly what a plan says, once; a plan that is out of date or was applied is refused')
    .argument('<file>', 'made by "courier plan -o FILE"')
    .option('--approve', 'also what a guard holds: you have looked at it')
    .action(
      action((output, flags, file: string, { approve = false }: { approve?: boolean }) =>
        withLedger(flags, (books) => apply(output, books, readPlanFile(file), approve)),
      ),
    );
}

async function apply(
  output: Output,
  { ledger, config, file }: CommandContext,
  kept: PlanFile,
  approve: boolean,
): Promise<Ending> {
  const guarded = kept.watches.filter(({ guards }) => guards.length > 0);
  if (guarded.length > 0 && !approve) {
    throw new CommandError(
      EXIT.guard,
      `A guard holds ${guarded.map(({ watch, guards }) => `${watch} (${guards.join('; ')})`).join(', ')}. ` +
        'Nothing was planned or charged. Look at the plan, then apply it with --approve.',
    );
  }
  const plans = kept.watches.map(({ watch: name, run, digest }) => {
    const watch = getWatch(config.watches, name);
    return { watch, run: run as RunId, digest, input: { watch, account: config.accounts.get(watch.account)! } };
  });
  // The server first: a plan that nobody would send must not be used up.
  return withTemporal(config, file, async ({ client, connection, namespace }) => {
    await ensureSearchAttributes(connection, namespace);
    const applied = await applyPlans(ledger, plans, {
      approvedBy: approve ? `${userInfo().username}: courier apply` : null,
    });
    for (const [at, { urls, batches, cost }] of applied.entries()) {
      const { watch, run } = plans[at]!;
      output.record({ type: 'applied', watch: watch.id, run, urls, batches, cost });
      const price = cost === null ? 'at a price that is not known yet' : formatTry(cost);
      output.print(
        `${watch.id}: ${urls} URLs in ${counted(batches, 'batch', 'batches')}, ${price}; they are sent as the limits allow.`,
      );
    }
    for (const account of new Set(plans.map(({ watch }) => watch.account))) {
      await wakeDispatcher(client, ledger.id, account).catch((error: Error) => {
        throw new CommandError(
          EXIT.transient,
          `The plan was applied and is kept, but the dispatcher of ${account} was not reached (${error.message}). ` +
            'It is sent with the next run of a watch of the account.',
        );
      });
    }
    const urls = applied.reduce((sum, plan) => sum + plan.urls, 0);
    return { exitCode: EXIT.done, summary: { urls } };
  });
}
