import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { EXIT } from '../../cli-kit/exit-codes.ts';
import type { Output, OutputRecord } from '../../cli-kit/output.ts';
import { stopSignal } from '../../cli-kit/stop-signal.ts';
import type { Account } from '../../config/config.ts';
import { getTimeZone } from '../../config/time-zone.ts';
import { findLocalUi } from '../../connector/state-folder.ts';
import { toTroubleLink } from '../../connector/web-ui-link.ts';
import { findStop } from '../../ledger/accounts/stops.ts';
import { listOverdueJobs } from '../../ledger/jobs/overdue-jobs.ts';
import { getStatusAsConfigured } from '../../ledger/money/account-status.ts';
import { listBatches } from '../../ledger/reports/lists.ts';
import { getAccountTotals } from '../../ledger/reports/totals.ts';
import { listWatchStates } from '../../ledger/reports/watch-states.ts';
import { formatInstant, formatInstantIn } from '../../submission/instant.ts';
import { formatNewPrice } from '../../submission/new-price.ts';
import { action, type Ending } from '../output/command.ts';
import { formatReview, formatServiceWait } from '../output/notices.ts';
import { type Problem, type ShownTotals, toAccountRecord, toWatchRecord } from '../output/records/status.ts';
import { createRedraw } from '../output/redraw.ts';
import { listAccountLines, listProblemLines, listWatchLines, type WatchOnPage } from '../output/status-screen.ts';
import { readSchedules } from '../schedules.ts';
import { type CommandContext, withLedger } from '../with-ledger.ts';
import { findServerProblems } from './server-problems.ts';
import { checkStatus, describeFailing, listAccountProblems, listAllProblems } from './status-check.ts';

interface StatusFlags {
  readonly check?: boolean;
  readonly follow?: boolean;
  readonly all?: boolean;
}

export function statusCommand(command: Command): void {
  command
    .addOption(
      new Option('--check', 'for a monitor: print only problems, and exit with the code of the worst').conflicts(
        'follow',
      ),
    )
    .option('--follow', 'show it again whenever it changes, until Ctrl-C')
    .option('--all', 'show every watch and every problem, also where they do not fit a screen')
    .action(
      action((output, flags, { check = false, follow = false, all = false }: StatusFlags) =>
        withLedger(flags, (context) => {
          if (check) return checkStatus(output, context);
          return follow ? followStatus(output, context, all) : showStatus(output, context, all);
        }),
      ),
    );
}

export async function showStatus(
  output: Output,
  context: CommandContext,
  all: boolean,
  { hasLink = true } = {},
): Promise<Ending> {
  const { config, ledger } = context;
  const [schedules, unserved] = await Promise.all([readSchedules(context, output), findServerProblems(context)]);
  const { states, removed } = await listWatchStates(ledger, [...config.watches.values()]);
  const problems = [...unserved, ...listAllProblems(context, states, removed)];
  const troubled = new Set(problems.map(({ subject }) => subject));
  const pages = [...states, ...removed].map((state): WatchOnPage => {
    const watch = config.watches.get(state.id);
    const failing = watch === undefined ? null : (describeFailing(watch, state)?.since ?? null);
    const needsYou = troubled.has(state.id);
    return { watch, state, failing, needsYou, nextRunAt: schedules.get(state.id)?.nextAt ?? null };
  });
  for (const { watch, state, nextRunAt } of pages)
    output.record(toWatchRecord({ ...state, configured: watch !== undefined, nextRunAt }));
  const money: string[] = [];
  let needsReview = 0;
  for (const account of config.accounts.values()) {
    const shown = await readAccount(context, account);
    needsReview += shown.totals.needsReview;
    problems.push(...shown.problems);
    money.push(...shown.lines);
    output.record(toAccountRecord({ account: account.id, ...shown }));
  }
  const uiUrl = problems.length === 0 || !hasLink ? null : findLocalUi(config, context.file);
  const link = uiUrl === null ? [] : [`  In the Web UI: ${toTroubleLink(uiUrl, config.temporal.namespace)}`];
  const needs =
    problems.length === 0 ? ['Nothing needs you.'] : ['Needs you:', ...listProblemLines(problems, all), ...link];
  for (const line of [...needs, 'Money:', ...money, 'Watches:', ...listWatchLines(pages, all)]) output.print(line);
  const held = pages.flatMap(({ state }) => state.held.map(({ run }) => run));
  return { exitCode: EXIT.done, summary: { held, needs_review: needsReview } };
}

const FOLLOW_EVERY_MS = 2_000;

/** On a terminal the page is drawn again in its place; elsewhere what has changed is printed. Ends with a signal. */
async function followStatus(output: Output, context: CommandContext, all: boolean): Promise<Ending> {
  const stop = stopSignal('Nothing was changed.');
  const isDrawn = process.stdout.isTTY === true && !output.json && process.env.NO_COLOR === undefined;
  const redraw = createRedraw(process.stdout);
  const shown = new Set<string>();
  let before = '';
  for (;;) {
    const { lines, records } = await capture(output, (quiet) =>
      // A line that is drawn ends at the edge of the screen, and so would the link.
      showStatus(quiet, context, all, { hasLink: !isDrawn }),
    );
    for (const record of records.filter((each) => !shown.has(JSON.stringify(each)))) output.record(record);
    shown.clear();
    for (const record of records) shown.add(JSON.stringify(record));
    const text = lines.join('\n');
    if (isDrawn) redraw([formatInstant(Date.now()), ...lines]);
    else if (text !== before) output.print(`${formatInstant(Date.now())}\n${text}`);
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

interface ShownAccount extends ShownTotals {
  readonly problems: readonly Problem[];
  readonly lines: readonly string[];
}

async function readAccount({ config, ledger }: CommandContext, account: Account): Promise<ShownAccount> {
  const { id, baseUrl, pricePerUrl, tracking } = account;
  const totals = await getAccountTotals(ledger, id, pricePerUrl);
  const status = await getStatusAsConfigured(ledger, { id, baseUrl });
  const { standard, fast } = tracking;
  const timeouts = { standard: standard.timeoutMs, fast: fast.timeoutMs };
  const overdue = totals.open === 0 ? [] : await listOverdueJobs(ledger, id, timeouts);
  const problems = await listAccountProblems({ config, ledger }, account, totals, { status, overdue });
  const waiting = totals.waiting + totals.inDoubt === 0 ? null : await findWaiting({ config, ledger }, id);
  const review =
    totals.needsReview === 0
      ? []
      : await listBatches(ledger, { account: id, state: 'needs_review', limit: SHOWN_REVIEWS });
  const lines = [
    ...listAccountLines(account, totals),
    ...Object.values(totals.price).flatMap(({ changed }) => (changed === null ? [] : `    ${formatNewPrice(changed)}`)),
    ...(waiting === null ? [] : [`    ${waiting}`]),
    ...review.map((batch) => `    ${formatReview(batch)}`),
  ];
  return { totals, status, overdue, problems, lines };
}

/** What the oldest batch that has a reason to wait waits for, else what the account waits for before it sends one. */
async function findWaiting(
  { config, ledger }: Pick<CommandContext, 'config' | 'ledger'>,
  account: Account['id'],
): Promise<string | null> {
  for (const state of ['sending', 'planned'] as const) {
    const batches = await listBatches(ledger, { account, state, limit: SEARCHED_BATCHES });
    const waiting = batches.findLast(({ reason }) => reason !== null);
    if (waiting?.reason == null) continue;
    const zone = getTimeZone(config.watches.get(waiting.watch));
    const next = waiting.notBefore === null ? '' : `; next attempt ${formatInstantIn(zone, waiting.notBefore)}`;
    return `batch ${waiting.batch} waits: ${waiting.reason.replace(/\.$/, '')}${next}`;
  }
  const wait = await findStop(ledger.db, account, 'unanswered');
  return wait === null ? null : `nothing is sent: ${formatServiceWait(wait)}`;
}

const SHOWN_REVIEWS = 5;
const SEARCHED_BATCHES = 1_000;
