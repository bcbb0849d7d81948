import type { Static } from 'typebox';
import type { ServiceLevel } from '../../../../contract/states.ts';
import type { ExitCode } from '../../../cli-kit/exit-codes.ts';
import {
  type CommandOutput,
  count,
  defineRecord,
  flag,
  group,
  instant,
  list,
  micros,
  nullable,
  oneOf,
  text,
  texts,
  toInstant,
  toInstantOrNull,
} from '../../../cli-kit/record-schema.ts';
import { Type } from '../../../json-schema/type.ts';
import type { AccountStatus } from '../../../ledger/money/account-status.ts';
import type { RunSummary } from '../../../ledger/reports/run-summary.ts';
import type { AccountTotals, RunLine } from '../../../ledger/reports/totals.ts';
import type { WatchFigures } from '../../../ledger/reports/watch-figures.ts';
import type { WatchState } from '../../../ledger/reports/watch-states.ts';
import { describeRemedy } from '../../../submission/hold-question.ts';
import { renderReason } from '../../../submission/reason.ts';
import { SAVED_FIELDS, toSavedFields } from '../politeness.ts';
import { COUNT_FIELDS, RESULT_FIELDS, toCountFields, UNMATCHED_RULES } from './counts.ts';

const WatchRecord = defineRecord('watch', 'A watch and its last run.', {
  watch: text('name of the watch'),
  account: text('name of the account'),
  configured: flag('false: removed, and a run still waits for your decision'),
  next_run_at: nullable(instant('its next run')),
  last_run: nullable(
    group(
      {
        run: text('name of the run'),
        started_at: instant('when it started'),
        ended_at: nullable(instant('when it ended')),
        end: nullable(text('finished, rejected, failed or abandoned')),
        decision: nullable(text('approved or rejected')),
        decided_by: nullable(text('who, with the note')),
        decided_at: nullable(instant('when')),
        ...COUNT_FIELDS,
        ...SAVED_FIELDS,
        unmatched_rules: UNMATCHED_RULES,
        planned: count('URLs planned'),
        planned_cost_micros: nullable(micros('cost')),
        held_urls: count('due, not planned'),
        held_reason: nullable(text('the cap that holds them')),
        ...RESULT_FIELDS,
        in_index: count('URLs found at their last index check'),
        charged_micros: micros('reported charge'),
        unknown_charge_urls: count('accepted URLs of unreported charge, in no sum'),
      },
      'last run that was no preview',
    ),
  ),
  held: list(
    Type.Object({
      run: text('name of the run'),
      reasons: texts('why'),
      sample: texts('a few URLs'),
      forecast: group(
        {
          urls: count('URLs, at most'),
          cost_micros: nullable(micros('cost')),
          allowed_urls: count('of them within caps and balance when held'),
        },
        'what an approval buys',
      ),
      remedy: nullable(text('what ends it without a decision')),
    }),
    'runs that wait for your decision or for money',
  ),
  failed_runs: count('last runs in a row that were incomplete or broke off, at most 50'),
  failing_since: nullable(instant('start of the first of them')),
  unread: list(
    Type.Object({ sitemap: text('address of the sitemap'), message: text('why it could not be read') }),
    'sitemaps of the last run, the first ones',
  ),
  kept_back_urls: count('URLs that a cap or the balance kept from the last run'),
  kept_back_reason: nullable(text('why')),
  quarantined_urls: count('in quarantine, counted up to 10,000'),
});

export function toWatchRecord(
  { id, account, figures, last, held, unread }: WatchState,
  { configured, nextRunAt }: { readonly configured: boolean; readonly nextRunAt: number | null },
): Static<typeof WatchRecord> {
  const { failedRuns, failingSince, keptBackUrls, keptBackReason, quarantinedUrls } = figures;
  return {
    type: 'watch',
    watch: id,
    account,
    configured,
    next_run_at: toInstantOrNull(nextRunAt),
    last_run: last && toLastRun(last.run, last.summary),
    held: held.map(({ run, reasons, sample, forecast: { urls, cost, allowed } }) => ({
      run,
      reasons: reasons.map(renderReason),
      sample: [...sample],
      forecast: { urls, cost_micros: cost, allowed_urls: allowed },
      remedy: describeRemedy(reasons),
    })),
    failed_runs: failedRuns,
    failing_since: toInstantOrNull(failingSince),
    unread: unread.map(({ sitemap, message }) => ({ sitemap, message })),
    kept_back_urls: keptBackUrls,
    kept_back_reason: keptBackUrls === 0 ? null : keptBackReason,
    quarantined_urls: quarantinedUrls,
  };
}

const toLastRun = (run: RunLine, summary: RunSummary) => ({
  run: run.run,
  started_at: toInstant(run.startedAt),
  ended_at: toInstantOrNull(run.endedAt),
  end: run.endState,
  decision: run.decision,
  decided_by: run.decidedBy,
  decided_at: toInstantOrNull(run.decidedAt),
  ...toCountFields(summary),
  ...toSavedFields(summary.saved),
  unmatched_rules: [...summary.unmatchedRules],
  planned: summary.planned,
  planned_cost_micros: summary.plannedCost,
  held_urls: summary.held,
  held_reason: summary.heldReason,
  batches: summary.batches,
  submitted: summary.submitted,
  completed: summary.completed,
  failed: summary.failed,
  open: summary.open,
  quarantined: summary.quarantined,
  without_result: summary.withoutResult,
  needs_review: summary.needsReview,
  in_index: summary.inIndex,
  charged_micros: summary.charged,
  unknown_charge_urls: summary.unknownChargeUrls,
});

const PriceFields = group(
  {
    per_url_micros: nullable(micros('price per URL')),
    basis: oneOf(['learned', 'configured', 'unknown'], 'source of the price'),
    before_micros: nullable(micros('before it changed, for seven days or until configured')),
    changed_at: nullable(instant('when it changed')),
  },
  'price of a URL',
);

const AccountRecord = defineRecord('account', 'The money and the work of an account, as the ledger knows them.', {
  account: text('name of the account'),
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
  price: group({ standard: PriceFields, fast: PriceFields }, 'by service level'),
  batches: group(
    {
      planned: count('planned, not sent'),
      in_doubt: count('sent, outcome not known'),
      open: count('accepted, not ended'),
      overdue: count('of them no longer polled; decide: `courier batches resolve`'),
      needs_review: count('decide: `courier batches resolve`'),
    },
    'batches by state',
  ),
  in_doubt_since: nullable(instant('oldest unknown outcome')),
  suspended: nullable(text('why its batches wait, or the account is held')),
  key_rejected: nullable(text('why its key is not used')),
});

export interface ShownTotals {
  readonly totals: AccountTotals;
  readonly status: AccountStatus;
  readonly overdue: readonly unknown[];
}

export function toAccountRecord(
  account: string,
  { totals, status, overdue }: ShownTotals,
): Static<typeof AccountRecord> {
  const toPriceFields = (service: ServiceLevel) => {
    const { perUrl, basis, changed } = totals.price[service];
    return {
      ...{ per_url_micros: perUrl, basis, before_micros: changed?.before ?? null },
      changed_at: toInstantOrNull(changed?.since ?? null),
    };
  };
  return {
    type: 'account',
    account,
    balance_micros: totals.balance,
    balance_at: toInstantOrNull(totals.balanceAt),
    charged_since_balance_micros: totals.chargedSinceBalance,
    charged_today_micros: totals.chargedToday,
    charged_this_month_micros: totals.chargedThisMonth,
    charged_ever_micros: totals.chargedEver,
    unknown_charge_urls: totals.unknownChargeUrls,
    unknown_charge_estimate_micros: totals.unknownChargeEstimate,
    committed_micros: totals.committed,
    left_micros: totals.left,
    price: { standard: toPriceFields('standard'), fast: toPriceFields('fast') },
    batches: {
      planned: totals.waiting,
      in_doubt: totals.inDoubt,
      open: totals.open,
      overdue: overdue.length,
      needs_review: totals.needsReview,
    },
    in_doubt_since: toInstantOrNull(totals.oldestInDoubtAt),
    suspended: status.suspended && renderReason(status.suspended),
    key_rejected: status.keyRejected && renderReason(status.keyRejected),
  };
}

const SCHEDULE_STATES = ['scheduled', 'paused', 'unscheduled'] as const;
const ScheduleRecord = defineRecord('schedule', 'The schedule of a watch on the Temporal server.', {
  watch: text('name of the watch'),
  account: text('name of the account'),
  state: oneOf(SCHEDULE_STATES, 'unscheduled: the server has no schedule of this watch'),
  next_run_at: nullable(instant('its next run')),
  last_run_at: nullable(instant('start of its last run that was no preview')),
  failed_runs: count('last runs in a row that were incomplete or broke off, at most 50'),
  failing_since: nullable(instant('start of the first of them')),
  held_run: nullable(text('run that waits for your decision or for money')),
  kept_back_urls: count('URLs that a cap or the balance kept from the last run'),
});

export const toScheduleRecord = (
  { id, account }: { readonly id: string; readonly account: string },
  state: (typeof SCHEDULE_STATES)[number],
  nextRunAt: number | null,
  figures: WatchFigures | undefined,
): Static<typeof ScheduleRecord> => ({
  type: 'schedule',
  watch: id,
  account,
  state,
  next_run_at: toInstantOrNull(nextRunAt),
  last_run_at: toInstantOrNull(figures?.runs[0]?.startedAt ?? null),
  failed_runs: figures?.failedRuns ?? 0,
  failing_since: toInstantOrNull(figures?.failingSince ?? null),
  held_run: figures?.heldRun ?? null,
  kept_back_urls: figures?.keptBackUrls ?? 0,
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

const ProblemRecord = defineRecord('problem', 'Something that needs you; only with `--check`.', {
  subject: text('name of the watch, account or channel, `ledger` or `temporal`'),
  exit_code: count('of the command, unless something is worse'),
  problem: text('what it is, and what to do'),
});

export const toProblemRecord = ({ subject, exitCode, problem }: Problem): Static<typeof ProblemRecord> => ({
  type: 'problem',
  subject,
  exit_code: exitCode,
  problem,
});

const oneWatch: CommandOutput = { records: [], summary: { watch: text('name of the watch') } };

export const STATUS_OUTPUT: Readonly<Record<string, CommandOutput>> = {
  status: {
    records: [WatchRecord, AccountRecord, ProblemRecord],
    summary: {
      held: texts('runs held'),
      needs_review: count('batches that need review'),
    },
  },
  'watch list': { records: [ScheduleRecord], summary: { watches: count('configured watches') } },
  'watch pause': oneWatch,
  'watch resume': oneWatch,
  'watch trigger': oneWatch,
};
