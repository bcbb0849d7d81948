import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { formatTry, ZERO } from '../../../contract/money.ts';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import type { Output, OutputRecord } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Account, Watch } from '../../config/config.ts';
import { getTimeZone } from '../../config/time-zone.ts';
import { listOverdueJobs } from '../../ledger/jobs/overdue-jobs.ts';
import { getStatusAsConfigured } from '../../ledger/money/status-as-configured.ts';
import { type HeldRun, listHeldRuns, listRemovedHeld, type RemovedWatch } from '../../ledger/reports/held-runs.ts';
import { listBatches } from '../../ledger/reports/lists.ts';
import { getRunSummary } from '../../ledger/reports/run-summary.ts';
import { type AccountTotals, getAccountTotals, listRuns, type RunLine } from '../../ledger/reports/totals.ts';
import { formatInstant, formatInstantIn } from '../../submission/instant.ts';
import { isWantOfMoney, renderReason } from '../../submission/reason.ts';
import { action, type Ending } from '../output/command.ts';
import { formatCharge, formatCount, formatCounted, formatDecision, NOT_KNOWN } from '../output/format.ts';
import {
  formatHowToDecide,
  formatOverdue,
  formatReview,
  formatUnmatchedRule,
  formatWithoutResult,
} from '../output/notices.ts';
import { formatSaved } from '../output/politeness.ts';
import { toAccountRecord, toWatchRecord } from '../output/records/status.ts';
import { readSchedules } from '../schedules.ts';
import { type CommandContext, withLedger } from '../with-ledger.ts';
import { checkStatus } from './status-check.ts';

interface StatusFlags {
  readonly check?: boolean;
  readonly follow?: boolean;
}

export function statusCommand(command: Command): void {
  command
    .addOption(
      new Option('--check', 'for a monitor: print only problems, and exit with the code of the worst').conflicts(
        'follow',
      ),
    )
    .option('--follow', 'show it again whenever it changes, until Ctrl-C')
    .action(
      action((output, flags, { check = false, follow = false }: StatusFlags) =>
        withLedger(flags, (context) => {
          if (check) return checkStatus(output, context);
          return follow ? followStatus(output, context) : showStatus(output, context);
        }),
      ),
    );
}

async function showStatus(output: Output, context: CommandContext): Promise<Ending> {
  const schedules = await readSchedules(context, output);
  const held: HeldRun[] = [];
  const { watches } = context.config;
  for (const watch of watches.values())
    held.push(...(await showWatch(output, context, watch, schedules.get(watch.id)?.nextAt ?? null)));
  for (const removed of await listRemovedHeld(context.ledger, watches))
    held.push(...(await showWatch(output, context, removed, null)));
  let needsReview = 0;
  for (const account of context.config.accounts.values()) needsReview += await showAccount(output, context, account);
  return { exitCode: EXIT.done, summary: { held: held.map(({ run }) => run), needs_review: needsReview } };
}

const FOLLOW_EVERY_MS = 2_000;

/** On a terminal the screen is drawn again; elsewhere what has changed is printed. Ends with a signal. */
async function followStatus(output: Output, context: CommandContext): Promise<Ending> {
  const stop = stopSignal('Nothing was changed.');
  const isDrawn = process.stdout.isTTY === true && !output.json && process.env.NO_COLOR === undefined;
  const shown = new Set<string>();
  let before = '';
  for (;;) {
    const { lines, records } = await capture(output, (quiet) => showStatus(quiet, context));
    for (const record of records.filter((each) => !shown.has(JSON.stringify(each)))) output.record(record);
    shown.clear();
    for (const record of records) shown.add(JSON.stringify(record));
    const text = lines.join('\n');
    if (text !== before && isDrawn) process.stdout.write('\x1b[H\x1b[2J');
    if (text !== before) output.print(`${formatInstant(Date.now())}\n${text}`);
    before = text;
    await sleep(FOLLOW_EVERY_MS, undefined, { signal: stop }).catch(() => undefined);
    stop.throwIfAborted();
  }
}

interface Captured {
  readonly lines: readonly string[];
  readonly records: readonly OutputRecord[];
}

/** What a command would print and record. */
async function capture(output: Output, show: (output: Output) => Promise<unknown>): Promise<Captured> {
  const lines: string[] = [];
  const records: OutputRecord[] = [];
  await show({
    ...output,
    say: () => undefined,
    print: (line) => lines.push(line),
    record: (record) => records.push(record),
  });
  return { lines, records };
}

/** Shows a watch, also one that is not configured any more, and returns its runs that wait for a decision. */
async function showWatch(
  output: Output,
  { config, ledger }: CommandContext,
  watch: Watch | RemovedWatch,
  nextRunAt: number | null,
): Promise<HeldRun[]> {
  const configured = config.watches.get(watch.id);
  const zone = getTimeZone(configured);
  const [run] = await listRuns(ledger, watch.id, 1);
  const last = run === undefined ? null : { run, summary: await getRunSummary(ledger, run.run) };
  const held = await listHeldRuns(ledger, watch.id);
  output.record(toWatchRecord(watch, { configured: configured !== undefined, last, held, nextRunAt }));
  const next = nextRunAt === null ? NOT_KNOWN : formatInstantIn(zone, nextRunAt);
  output.print(
    `watch ${watch.id}: ${configured === undefined ? 'not in the configuration any more' : `next run ${next}`}`,
  );
  if (last !== null) {
    const { summary } = last;
    output.print(
      `  ${last.run.run}: ${last.run.endState ?? 'active'}${formatRunDecision(last.run, zone)}, ${formatCount(summary.found)} found, ` +
        `${formatCount(summary.new)} new, ${formatCount(summary.planned)} planned, ${formatCount(summary.completed)} completed, ` +
        `${formatCount(summary.failed)} failed, charged ${formatCharge(summary)}`,
    );
    if (summary.withoutResult > 0)
      output.print(`  ${formatWithoutResult(summary.withoutResult, summary.withoutResultBatch)}`);
    if (summary.saved.sitemaps > 0) output.print(`  ${formatSaved(summary.saved)}`);
    for (const rule of summary.unmatchedRules) output.print(`  ${formatUnmatchedRule(rule)}`);
  }
  for (const { run: name, reasons, sample } of held) {
    output.print(`  a guard holds ${name}: ${reasons.map(renderReason).join('; ')}`);
    if (sample.length > 0) output.print(`    for example ${sample.join(', ')}`);
    output.print(`    ${formatHowToDecide(name, configured !== undefined)}`);
  }
  return held;
}

/** Shows an account and returns how many of its batches need review. */
async function showAccount(
  output: Output,
  { config, ledger }: CommandContext,
  { id, baseUrl, pricePerUrl, tracking }: Account,
): Promise<number> {
  const totals = await getAccountTotals(ledger, id, pricePerUrl);
  const status = await getStatusAsConfigured(ledger, { id, baseUrl });
  const { standard, fast } = tracking;
  const overdue = await listOverdueJobs(ledger, id, { standard: standard.timeoutMs, fast: fast.timeoutMs });
  output.record(toAccountRecord(id, totals, status, overdue.length));
  output.print(formatAccount(id, totals));
  if (totals.unknownChargeUrls > 0)
    output.print(`  charge unknown for ${formatCounted(totals.unknownChargeUrls, 'URL')}: ${formatUnknown(totals)}`);
  if (status.keyRejected !== null) output.print(`  the service rejects the key: ${renderReason(status.keyRejected)}`);
  if (status.suspended !== null) {
    const what = isWantOfMoney(status.suspended) ? 'batches wait for money' : 'nothing is sent';
    output.print(`  ${what}: ${renderReason(status.suspended)}`);
  }
  const waiting = totals.waiting + totals.inDoubt === 0 ? null : await findWaiting({ config, ledger }, id);
  if (waiting !== null) output.print(`  ${waiting}`);
  for (const job of overdue.slice(0, SHOWN_JOBS))
    output.print(`  ${formatOverdue(job, getTimeZone(config.watches.get(job.watch)))}`);
  if (overdue.length > SHOWN_JOBS) output.print(`  and ${formatCount(overdue.length - SHOWN_JOBS)} more overdue jobs`);
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
async function findWaiting(
  { config, ledger }: Pick<CommandContext, 'config' | 'ledger'>,
  account: Account['id'],
): Promise<string | null> {
  for (const state of ['sending', 'planned'] as const) {
    const batches = await listBatches(ledger, { account, state });
    const waiting = batches.findLast(({ reason }) => reason !== null);
    if (waiting?.reason == null) continue;
    const zone = getTimeZone(config.watches.get(waiting.watch));
    const next = waiting.notBefore === null ? '' : `; next attempt ${formatInstantIn(zone, waiting.notBefore)}`;
    return `batch ${waiting.batch} waits: ${waiting.reason.replace(/\.$/, '')}${next}`;
  }
  return null;
}

const SHOWN_REVIEWS = 5;
const SHOWN_JOBS = 5;

const formatRunDecision = ({ decision, decidedBy, decidedAt }: RunLine, zone: string): string =>
  formatDecision(decision, decidedBy, decidedAt, zone);

const formatUnknown = ({ unknownChargeEstimate: estimate }: AccountTotals): string =>
  `not in these sums${estimate === ZERO ? '' : `; the caps count ${formatTry(estimate)} for them, at the configured price`}`;

function formatBalance({ balance, balanceAt, chargedSinceBalance }: AccountTotals): string {
  if (balance === null) return NOT_KNOWN;
  const since = chargedSinceBalance === ZERO ? '' : `, before ${formatTry(chargedSinceBalance)} charged since`;
  return `${formatTry(balance)} as of ${formatInstant(balanceAt ?? 0)}${since}`;
}

function formatAccount(id: string, totals: AccountTotals): string {
  const since = totals.oldestInDoubtAt === null ? '' : ` (since ${formatInstant(totals.oldestInDoubtAt)})`;
  return (
    `account ${id}: balance ${formatBalance(totals)}; charged today ${formatTry(totals.chargedToday)}, this month ` +
    `${formatTry(totals.chargedThisMonth)}; committed ${formatTry(totals.committed)}\n` +
    `  batches: ${formatCount(totals.waiting)} planned, ${formatCount(totals.inDoubt)} in doubt${since}, ` +
    `${formatCount(totals.open)} open, ${formatCount(totals.needsReview)} need review`
  );
}
