import type { ExitCode } from '../../../cli-kit/exit-codes.ts';
import {
  type CommandOutput,
  count,
  flag,
  group,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  text,
  texts,
} from '../../../cli-kit/record-schema.ts';
import { embed, fieldsOf, named, recordOf } from '../../../cli-kit/record-table.ts';
import { Type } from '../../../json-schema/type.ts';
import type { AccountStatus } from '../../../ledger/money/account-status.ts';
import type { KnownPrice } from '../../../ledger/money/price.ts';
import type { RunSummary } from '../../../ledger/reports/run-summary.ts';
import type { AccountTotals, RunLine } from '../../../ledger/reports/totals.ts';
import type { WatchFigures } from '../../../ledger/reports/watch-figures.ts';
import type { WatchState } from '../../../ledger/reports/watch-states.ts';
import { describeRemedy } from '../../../submission/hold-question.ts';
import { renderReason } from '../../../submission/reason.ts';
import { SAVED } from '../politeness.ts';
import { COUNTS, RESULTS, UNMATCHED_RULES } from './counts.ts';

interface LastRun {
  readonly run: RunLine;
  readonly summary: RunSummary;
}

const lastRun = fieldsOf<LastRun>()({
  run: [text('name of the run'), ({ run }) => run.run],
  started_at: [instant('when it started'), ({ run }) => run.startedAt],
  ended_at: [nullable(instant('when it ended')), ({ run }) => run.endedAt],
  end: [nullable(text('finished, rejected, failed or abandoned')), ({ run }) => run.endState],
  decision: [nullable(text('approved or rejected')), ({ run }) => run.decision],
  decided_by: [nullable(text('who, with the note')), ({ run }) => run.decidedBy],
  decided_at: [nullable(instant('when')), ({ run }) => run.decidedAt],
  ...embed(COUNTS, ({ summary }: LastRun) => summary),
  ...embed(SAVED, ({ summary }: LastRun) => summary.saved),
  unmatched_rules: [UNMATCHED_RULES, ({ summary }) => summary.unmatchedRules],
  planned: [count('URLs planned'), ({ summary }) => summary.planned],
  planned_cost_micros: [nullable(micros('cost')), ({ summary }) => summary.plannedCost],
  held_urls: [count('due, not planned'), ({ summary }) => summary.held],
  held_reason: [nullable(text('the cap that holds them')), ({ summary }) => summary.heldReason],
  ...embed(RESULTS, ({ summary }: LastRun) => summary),
  in_index: [count('URLs found at their last index check'), ({ summary }) => summary.inIndex],
  charged_micros: [micros('reported charge'), ({ summary }) => summary.charged],
  unknown_charge_urls: [
    count('accepted URLs of unreported charge, in no sum'),
    ({ summary }) => summary.unknownChargeUrls,
  ],
});

const heldRun = fieldsOf<WatchState['held'][number]>()({
  run: text('name of the run'),
  reasons: [texts('why'), ({ reasons }) => reasons.map(renderReason)],
  sample: texts('a few URLs'),
  forecast: [
    group(
      {
        urls: count('URLs, at most'),
        cost_micros: nullable(micros('cost')),
        allowed_urls: count('of them within caps and balance when held'),
      },
      'what an approval buys',
    ),
    ({ forecast: { urls, cost, allowed } }) => ({ urls, cost_micros: cost, allowed_urls: allowed }),
  ],
  remedy: [nullable(text('what ends it without a decision')), ({ reasons }) => describeRemedy(reasons)],
});

interface ShownWatch extends WatchState {
  readonly configured: boolean;
  readonly nextRunAt: number | null;
}

export const toWatchRecord = recordOf<ShownWatch>()({
  type: named('watch', 'A watch and its last run.'),
  watch: [text('name of the watch'), ({ id }) => id],
  account: text('name of the account'),
  configured: flag('false: removed, and a run still waits for your decision'),
  next_run_at: nullable(instant('its next run')),
  last_run: [
    nullable(group(lastRun.schemas, 'last run that was no preview')),
    ({ last }) => last && lastRun.read(last),
  ],
  held: [
    list(Type.Object(heldRun.schemas), 'runs that wait for your decision or for money'),
    ({ held }) => held.map(heldRun.read),
  ],
  failed_runs: [
    count('last runs in a row that were incomplete or broke off, at most 50'),
    ({ figures }) => figures.failedRuns,
  ],
  failing_since: [nullable(instant('start of the first of them')), ({ figures }) => figures.failingSince],
  unread: [
    list(
      Type.Object({ sitemap: text('address of the sitemap'), message: text('why it could not be read') }),
      'sitemaps of the last run, the first ones',
    ),
    ({ unread }) => unread.map(({ sitemap, message }) => ({ sitemap, message })),
  ],
  kept_back_urls: [
    count('URLs that a cap or the balance kept from the last run'),
    ({ figures }) => figures.keptBackUrls,
  ],
  kept_back_reason: [
    nullable(text('why')),
    ({ figures }) => (figures.keptBackUrls === 0 ? null : figures.keptBackReason),
  ],
  quarantined_urls: [count('in quarantine, counted up to 10,000'), ({ figures }) => figures.quarantinedUrls],
});

const price = fieldsOf<KnownPrice>()({
  per_url_micros: nullable(micros('price per URL')),
  basis: oneOf(['learned', 'configured', 'unknown'], 'source of the price'),
  before_micros: [
    nullable(micros('before it changed, for seven days or until configured')),
    ({ changed }) => changed?.before ?? null,
  ],
  changed_at: [nullable(instant('when it changed')), ({ changed }) => changed?.since ?? null],
});
const PRICE = group(price.schemas, 'price of a URL');

export interface ShownTotals {
  readonly totals: AccountTotals;
  readonly status: AccountStatus;
  readonly overdue: readonly unknown[];
}

const waitingBatches = fieldsOf<ShownTotals>()({
  planned: [count('planned, not sent'), ({ totals }) => totals.waiting],
  in_doubt: [count('sent, outcome not known'), ({ totals }) => totals.inDoubt],
  open: [count('accepted, not ended'), ({ totals }) => totals.open],
  overdue: [count('of them no longer polled; decide: `courier batches resolve`'), ({ overdue }) => overdue.length],
  needs_review: [count('decide: `courier batches resolve`'), ({ totals }) => totals.needsReview],
});

const money = fieldsOf<AccountTotals>()({
  balance_micros: nullable(micros('last reported balance')),
  balance_at: nullable(instant('when reported')),
  charged_since_balance_micros: micros('charged since the balance was read'),
  charged_today_micros: micros('since 00:00 UTC'),
  charged_this_month_micros: micros('since the first of the month, UTC'),
  charged_ever_micros: micros('all charges'),
  unknown_charge_urls: count('accepted URLs of unreported charge, in no sum'),
  unknown_charge_estimate_micros: micros('what the caps count for those, at the configured price; else 0'),
  committed_micros: micros('what may still be charged: planned, in flight or in doubt, index checks included'),
  left_micros: nullable(micros('balance less charged since, committed and the floor')),
});

export const toAccountRecord = recordOf<ShownTotals & { readonly account: string }>()({
  type: named('account', 'The money and the work of an account, as the ledger knows them.'),
  account: text('name of the account'),
  ...embed(money, ({ totals }: ShownTotals) => totals),
  price: [
    group({ standard: PRICE, fast: PRICE }, 'by service level'),
    ({ totals }) => ({ standard: price.read(totals.price.standard), fast: price.read(totals.price.fast) }),
  ],
  batches: [group(waitingBatches.schemas, 'batches by state'), waitingBatches.read],
  in_doubt_since: [nullable(instant('oldest unknown outcome')), ({ totals }) => totals.oldestInDoubtAt],
  suspended: [
    nullable(text('why its batches wait, or the account is held')),
    ({ status: { suspended } }) => suspended && renderReason(suspended),
  ],
  key_rejected: [
    nullable(text('why its key is not used')),
    ({ status: { keyRejected } }) => keyRejected && renderReason(keyRejected),
  ],
});

const SCHEDULE_STATES = ['scheduled', 'paused', 'unscheduled'] as const;

interface ShownSchedule {
  readonly watch: string;
  readonly account: string;
  readonly state: (typeof SCHEDULE_STATES)[number];
  readonly nextRunAt: number | null;
  /** Of the ledger; it may not know the watch. */
  readonly figures: WatchFigures | undefined;
}

export const toScheduleRecord = recordOf<ShownSchedule>()({
  type: named('schedule', 'The schedule of a watch on the Temporal server.'),
  watch: text('name of the watch'),
  account: text('name of the account'),
  state: oneOf(SCHEDULE_STATES, 'unscheduled: the server has no schedule of this watch'),
  next_run_at: nullable(instant('its next run')),
  last_run_at: [
    nullable(instant('start of its last run that was no preview')),
    ({ figures }) => figures?.runs[0]?.startedAt ?? null,
  ],
  failed_runs: [
    count('last runs in a row that were incomplete or broke off, at most 50'),
    ({ figures }) => figures?.failedRuns ?? 0,
  ],
  failing_since: [nullable(instant('start of the first of them')), ({ figures }) => figures?.failingSince ?? null],
  held_run: [
    nullable(text('run that waits for your decision or for money')),
    ({ figures }) => figures?.heldRun ?? null,
  ],
  kept_back_urls: [
    count('URLs that a cap or the balance kept from the last run'),
    ({ figures }) => figures?.keptBackUrls ?? 0,
  ],
});

/** Something that does not go on by itself, or not as it should. */
export interface Problem {
  /** The watch, account or channel, the ledger, or the Temporal server. */
  readonly subject: string;
  readonly exitCode: ExitCode;
  /** What it is, and what to do. */
  readonly problem: string;
  /** The same in lines, where it has several. */
  readonly lines?: readonly string[];
}

export const toProblemRecord = recordOf<Problem>()({
  type: named('problem', 'Something that needs you; only with `--check`.'),
  subject: text('name of the watch, account or channel, `ledger` or `temporal`'),
  exit_code: count('of the command, unless something is worse'),
  problem: text('what it is, and what to do'),
});

const oneWatch: CommandOutput = { records: [], summary: { watch: text('name of the watch') } };

export const STATUS_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  status: {
    records: [toWatchRecord.schema, toAccountRecord.schema, toProblemRecord.schema],
    summary: {
      held: texts('runs held'),
      needs_review: count('batches that need review'),
    },
  },
  'watch list': { records: [toScheduleRecord.schema], summary: { watches: count('configured watches') } },
  'watch pause': oneWatch,
  'watch resume': oneWatch,
  'watch trigger': oneWatch,
};
