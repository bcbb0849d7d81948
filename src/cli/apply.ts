import { userInfo } from 'node:os';
import { Command } from 'commander';
import { wakeDispatcher } from '../../activities/wake-dispatcher.ts';
import { formatTry } from '../../contract/money.ts';
import { TASK_QUEUE } from '../../workflows/ids.ts';
import { decideRun } from '../ledger/judge-run.ts';
import { planRun, previewRun } from '../ledger/plan-run.ts';
import { LedgerRefusal } from '../ledger/refusal.ts';
import type { RunId } from '../submission/ids.ts';
import { type Books, watchNamed, withBooks } from './books.ts';
import { action, type Ending } from './command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import type { Output } from './output.ts';
import { type PlanFile, readPlanFile } from './plan-file.ts';
import { withTemporal } from './with-temporal.ts';

export function applyCommand(): Command {
  return new Command('apply')
    .description('buy exactly what a plan says, once; a plan that is out of date or was applied is refused')
    .argument('<file>', 'made by "courier plan -o FILE"')
    .option('--approve', 'also what a guard holds: you have looked at it')
    .action(
      action((output, flags, file: string, { approve = false }: { approve?: boolean }) =>
        withBooks(flags, (books) => applyPlan(output, books, readPlanFile(file), approve)),
      ),
    );
}

async function applyPlan(output: Output, books: Books, plan: PlanFile, approve: boolean): Promise<Ending> {
  const { ledger, config } = books;
  const guarded = plan.watches.filter(({ guards }) => guards.length > 0);
  if (guarded.length > 0 && !approve) {
    throw new CommandError(
      EXIT.guard,
      `A guard holds ${guarded.map(({ watch, guards }) => `${watch} (${guards.join('; ')})`).join(', ')}. ` +
        'Nothing was planned or charged. Look at the plan, then apply it with --approve.',
    );
  }
  const kept = plan.watches.map(({ watch: name, run, digest, guards }) => {
    const watch = watchNamed(config.watches, name);
    return { watch, run: run as RunId, digest, guards, input: { watch, account: config.accounts.get(watch.account)! } };
  });
  // Before anything is planned: no part of a plan is carried out while another part of it is out of date.
  for (const { run, digest, input } of kept) {
    if ((await previewRun(ledger, run, input)).digest !== digest) throw stale(run);
  }
  // The server first: a plan that nobody would send must not be used up.
  return withTemporal(config, async ({ client }) => {
    const applied: string[] = [];
    try {
      for (const { watch, run, digest, guards, input } of kept) {
        if (guards.length > 0) await decideRun(ledger, run, 'approved', `${userInfo().username}: courier apply`);
        const { urls, batches, cost } = await planRun(ledger, run, input, { expect: digest });
        applied.push(watch.id);
        output.record({ type: 'applied', watch: watch.id, run, urls, batches, cost });
        const price = cost === null ? 'price not known yet' : formatTry(cost);
        output.print(
          `${watch.id}: ${urls} URLs in ${batches} batches, ${price}, go to the service as its limits allow.`,
        );
        await wakeDispatcher(client, TASK_QUEUE, watch.account);
      }
    } catch (error) {
      if (!(error instanceof LedgerRefusal) || applied.length === 0) throw error;
      throw new CommandError(EXIT.partial, `Applied: ${applied.join(', ')}. Then: ${error.message}`);
    }
    return { exitCode: EXIT.done, summary: { applied } };
  });
}

function stale(run: RunId): CommandError {
  return new CommandError(
    EXIT.usage,
    `The plan of run "${run}" is out of date: what is due, its price or its caps have changed since. ` +
      'Nothing was planned or charged. Make a new plan and look at it again.',
  );
}
