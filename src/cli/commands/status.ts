import { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import type { Watch } from '../../config/config.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { getAccountStatus } from '../../ledger/money/funds.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { getRunSummary } from '../../ledger/reports/run-summary.ts';
import { getAccountTotals, listRuns } from '../../ledger/reports/totals.ts';
import { TemporalUnreachableError } from '../../temporal/unreachable.ts';
import { watchScheduleId } from '../../temporal-api/ids.ts';
import { chargeText } from '../output/charge-text.ts';
import { action } from '../output/command.ts';
import { formatInstant } from '../output/times.ts';
import { type CommandContext, withLedger } from '../with-ledger.ts';

export function statusCommand(): Command {
  return new Command('status')
    .description('every watch and account: last run, what is open, what was spent, what waits for a person')
    .action(
      action((output, flags) =>
        withLedger(flags, async (books) => {
          const { config, ledger } = books;
          const next = await nextRuns(books, output);
          const held: string[] = [];
          for (const watch of config.watches.values()) held.push(...(await tellWatch(output, ledger, watch, next)));
          for (const { id, pricePerUrl } of config.accounts.values()) {
            const totals = await getAccountTotals(ledger, id, pricePerUrl);
            const standing = await getAccountStatus(ledger, id);
            output.record({ type: 'account', account: id, ...totals, ...standing });
            const balance =
              totals.balance === null
                ? 'not known yet'
                : `${formatTry(totals.balance)} on ${formatInstant(totals.balanceAt ?? 0)}`;
            output.print(
              `account ${id}: balance ${balance}; charged today ${formatTry(totals.chargedToday)}, ` +
                `this month ${formatTry(totals.chargedThisMonth)}; promised ${formatTry(totals.committed)}` +
                `${totals.unknownChargeUrls === 0 ? '' : `; nobody told the charge of ${totals.unknownChargeUrls} URLs`}\n` +
                `  batches: ${totals.waiting} waiting, ${totals.inDoubt} with unknown outcome, ${totals.open} open, ` +
                `${totals.needsReview} stopped`,
            );
            if (totals.unknownChargeUrls > 0)
              output.print(`  not in these sums: ${totals.unknownChargeUrls} URLs whose charge the service never told`);
            if (standing.keyRejected !== null) output.print(`  the key is refused: ${standing.keyRejected}`);
            if (standing.suspended !== null) output.print(`  waits for money: ${standing.suspended}`);
          }
          return { exitCode: EXIT.done, summary: { held } };
        }),
      ),
    );
}

/** Tells of a watch; answers its runs that wait for a person. */
async function tellWatch(
  output: Output,
  ledger: Ledger,
  watch: Watch,
  next: ReadonlyMap<string, number>,
): Promise<string[]> {
  const runs = await listRuns(ledger, watch.id);
  const last = runs[0];
  const held = runs.filter((run) => run.held && run.endedAt === null).map(({ run }) => run);
  const summary = last === undefined ? null : await getRunSummary(ledger, last.run);
  const nextAt = next.get(watch.id) ?? null;
  output.record({ type: 'watch', watch: watch.id, lastRun: last ?? null, summary, held, nextRunAt: nextAt });
  output.print(`watch ${watch.id}: ${nextAt === null ? 'no next run is known' : `next run ${formatInstant(nextAt)}`}`);
  if (last !== undefined && summary !== null) {
    output.print(
      `  ${last.run}: ${last.endState ?? 'under way'}, ${summary.found} found, ${summary.new} new, ` +
        `${summary.planned} planned, ${summary.completed} completed, ${summary.failed} failed, ` +
        `${chargeText(summary)}`,
    );
  }
  for (const run of held) output.print(`  waits for you: courier approve ${run}   (or reject)`);
  return held;
}

/** When the schedules run next. Empty, with a word about it, while Temporal does not answer: the ledger is read all the same. */
async function nextRuns({ config, file, ledger }: CommandContext, output: Output): Promise<Map<string, number>> {
  const next = new Map<string, number>();
  try {
    await withTemporal(config, file, async ({ client }) => {
      const watches = new Map([...config.watches.keys()].map((id) => [watchScheduleId(ledger.id, id), id]));
      for await (const { scheduleId, info, state } of client.schedule.list()) {
        const watch = watches.get(scheduleId);
        const at = info?.nextActionTimes[0];
        if (watch !== undefined && at !== undefined && !state.paused) next.set(watch, at.getTime());
      }
    });
  } catch (error) {
    if (!(error instanceof TemporalUnreachableError)) throw error;
    output.say('Temporal does not answer: next runs are not known. What follows is from the ledger.');
  }
  return next;
}
