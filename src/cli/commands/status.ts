import type { Command } from 'commander';
import { formatTry } from '../../../contract/money.ts';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import type { Output } from '../../cli-kit/output.ts';
import type { Account, Watch } from '../../config/config.ts';
import { withTemporal } from '../../connector/temporal-server.ts';
import { getAccountStatus } from '../../ledger/money/account-status.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { type HeldRun, listHeldRuns } from '../../ledger/reports/held-runs.ts';
import { listBatches } from '../../ledger/reports/lists.ts';
import { getRunSummary } from '../../ledger/reports/run-summary.ts';
import { type AccountTotals, getAccountTotals, listRuns } from '../../ledger/reports/totals.ts';
import { renderReason } from '../../submission/reason.ts';
import { TemporalUnreachableError } from '../../temporal/unreachable.ts';
import { watchScheduleId } from '../../temporal-api/ids.ts';
import { action } from '../output/command.ts';
import { formatCharge, formatCount, formatCounted, formatInstant, NOT_KNOWN } from '../output/format.ts';
import { formatReview, formatUnmatchedRule } from '../output/notices.ts';
import { toAccountRecord, toWatchRecord } from '../output/records/status.ts';
import { type CommandContext, withLedger } from '../with-ledger.ts';

export function statusCommand(command: Command): void {
  command.action(
    action((output, flags) =>
      withLedger(flags, async (context) => {
        const next = await listNextRuns(context, output);
        const held: HeldRun[] = [];
        for (const watch of context.config.watches.values())
          held.push(...(await showWatch(output, context.ledger, watch, next.get(watch.id) ?? null)));
        let needsReview = 0;
        for (const account of context.config.accounts.values())
          needsReview += await showAccount(output, context.ledger, account);
        return { exitCode: EXIT.done, summary: { held: held.map(({ run }) => run), needs_review: needsReview } };
      }),
    ),
  );
}

/** Shows a watch and returns its runs that wait for a decision. */
async function showWatch(output: Output, ledger: Ledger, watch: Watch, nextRunAt: number | null): Promise<HeldRun[]> {
  const [run] = await listRuns(ledger, watch.id, 1);
  const last = run === undefined ? null : { run, summary: await getRunSummary(ledger, run.run) };
  const held = await listHeldRuns(ledger, watch.id);
  output.record(toWatchRecord(watch, last, held, nextRunAt));
  output.print(`watch ${watch.id}: next run ${nextRunAt === null ? NOT_KNOWN : formatInstant(nextRunAt)}`);
  if (last !== null) {
    const { summary } = last;
    output.print(
      `  ${last.run.run}: ${last.run.endState ?? 'active'}, ${formatCount(summary.found)} found, ` +
        `${formatCount(summary.new)} new, ${formatCount(summary.planned)} planned, ${formatCount(summary.completed)} completed, ` +
        `${formatCount(summary.failed)} failed, charged ${formatCharge(summary)}`,
    );
    for (const rule of summary.unmatchedRules) output.print(`  ${formatUnmatchedRule(rule)}`);
  }
  for (const { run: name, reasons, sample } of held) {
    output.print(`  a guard holds ${name}: ${reasons.map(renderReason).join('; ')}`);
    if (sample.length > 0) output.print(`    for example ${sample.join(', ')}`);
    output.print(`    decide: courier approve ${name}   or   courier reject ${name}`);
  }
  return held;
}

/** Shows an account and returns how many of its batches need review. */
async function showAccount(output: Output, ledger: Ledger, { id, pricePerUrl }: Account): Promise<number> {
  const totals = await getAccountTotals(ledger, id, pricePerUrl);
  const status = await getAccountStatus(ledger, id);
  output.record(toAccountRecord(id, totals, status));
  output.print(formatAccount(id, totals));
  if (totals.unknownChargeUrls > 0)
    output.print(`  charge unknown for ${formatCounted(totals.unknownChargeUrls, 'URL')}: not in these sums`);
  if (status.keyRejected !== null) output.print(`  the service rejects the key: ${renderReason(status.keyRejected)}`);
  if (status.suspended !== null) {
    const held = status.suspended.code === 'history_hold' || status.suspended.code === 'other_service';
    output.print(`  ${held ? 'held' : 'batches wait for money'}: ${renderReason(status.suspended)}`);
  }
  const waiting = totals.waiting + totals.inDoubt === 0 ? null : await findWaiting(ledger, id);
  if (waiting !== null) output.print(`  ${waiting}`);
  if (totals.needsReview > 0) {
    const review = await listBatches(ledger, {
      account: id,
      state: 'needs_review',
      limit: SHOWN_REVIEWS,
    });
    for (const batch of review) output.print(`  ${formatReview(batch)}`);
    const more = totals.needsReview - review.length;
    if (more > 0) output.print(`  and ${formatCount(more)} more: courier batches list --state needs_review`);
  }
  return totals.needsReview;
}

/** What the oldest batch that has a reason to wait waits for. */
async function findWaiting(ledger: Ledger, account: Account['id']): Promise<string | null> {
  for (const state of ['sending', 'planned'] as const) {
    const batches = await listBatches(ledger, { account, state });
    const waiting = batches.findLast(({ reason }) => reason !== null);
    if (waiting?.reason == null) continue;
    const next = waiting.notBefore === null ? '' : `; next attempt ${formatInstant(waiting.notBefore)}`;
    return `batch ${waiting.batch} waits: ${waiting.reason.replace(/\.$/, '')}${next}`;
  }
  return null;
}

const SHOWN_REVIEWS = 5;

function formatAccount(id: string, totals: AccountTotals): string {
  const balance =
    totals.balance === null ? NOT_KNOWN : `${formatTry(totals.balance)} as of ${formatInstant(totals.balanceAt ?? 0)}`;
  const since = totals.oldestInDoubtAt === null ? '' : ` (since ${formatInstant(totals.oldestInDoubtAt)})`;
  return (
    `account ${id}: balance ${balance}; charged today ${formatTry(totals.chargedToday)}, this month ` +
    `${formatTry(totals.chargedThisMonth)}; committed ${formatTry(totals.committed)}\n` +
    `  batches: ${formatCount(totals.waiting)} planned, ${formatCount(totals.inDoubt)} in doubt${since}, ` +
    `${formatCount(totals.open)} open, ${formatCount(totals.needsReview)} need review`
  );
}

/** When the schedules run next. Empty, with a notice, while Temporal does not answer: the ledger is read all the same. */
async function listNextRuns({ config, file, ledger }: CommandContext, output: Output): Promise<Map<string, number>> {
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
    output.say('Temporal does not answer, so the next runs are not known. What follows is from the ledger.');
  }
  return next;
}
