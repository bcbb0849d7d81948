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
import { COUNT_FIELDS, toCountFields, UNMATCHED_RULES } from './counts.ts';

const WatchRecord = defineRecord('watch', 'A watch and its last run.', {
  watch: text('name of the watch'),
  account: text('name of its account'),
  configured: flag('false: it is not in the configuration any more, and a run of it still waits for your decision'),
  next_run_at: nullable(instant('when its schedule runs next; null when not known')),
  last_run: nullable(
    group(
      {
        run: text('name of the run'),
        started_at: instant('when it started'),
        ended_at: nullable(instant('when it ended; null while it is active')),
        end: nullable(text('how it ended: finished, rejected, failed or abandoned; null while it is active')),
        decision: nullable(text('what was decided on it: approved or rejected; null when nothing was')),
        decided_by: nullable(text('who decided, with the note; null when nobody did')),
        decided_at: nullable(instant('when; null when nothing was')),
        ...COUNT_FIELDS,
        ...SAVED_FIELDS,
        unmatched_rules: UNMATCHED_RULES,
        planned: count('URLs planned'),
        planned_cost_micros: nullable(micros('their cost in micro-lira; null when no price was known')),
        held_urls: count('URLs that a cap holds'),
        held_reason: nullable(text('the cap; null when nothing is held')),
        batches: count('batches of the run'),
        submitted: count('URLs that the service accepted'),
        completed: count('URLs that were completed'),
        failed: count('URLs that failed'),
        open: count('URLs without a result yet'),
        quarantined: count('URLs in quarantine'),
        without_result: count('URLs whose job ended without a result for them; they count as bought'),
        needs_review: count('URLs in batches that need review'),
        in_index: count('URLs found at their last index check'),
        charged_micros: micros('reported charge in micro-lira'),
        unknown_charge_urls: count('accepted URLs whose charge the service has not reported; not in `charged_micros`'),
      },
      'its last run that was no preview; null before the first',
    ),
  ),
  held: list(
    Type.Object({
      run: text('name of the run, for `approve` and `reject`'),
      reasons: texts('why a guard holds it'),
      sample: texts('a few of the URLs'),
      forecast: group(
        {
          urls: count('URLs that an approval buys at most'),
          cost_micros: nullable(micros('their cost in micro-lira; null when no price is known')),
          allowed_urls: count('how many of them the caps and the balance allowed when it was held'),
        },
        'what an approval buys, as the question was asked',
      ),
      remedy: nullable(text('what ends it without a decision; null where only a decision does')),
    }),
    'runs that wait for your decision, or for money',
  ),
  failed_runs: count('runs in a row that were incomplete or broke off, up to the last; at most 50'),
  failing_since: nullable(instant('when the first of them started; null without any')),
  unread: list(
    Type.Object({ sitemap: text('address of the sitemap'), message: text('why it could not be read') }),
    'the first sitemaps that the last run could not read',
  ),
  kept_back_urls: count('URLs that a cap or the balance kept back from the last run that ended'),
  kept_back_reason: nullable(text('why; null when nothing is kept back')),
  quarantined_urls: count('URLs in quarantine; at most 10,000 are counted'),
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
    per_url_micros: nullable(micros('price per URL in micro-lira; null when not known')),
    basis: oneOf(['learned', 'configured', 'unknown'], 'where the price comes from'),
    before_micros: nullable(
      micros('what it was before it changed, for seven days or until it is configured; else null'),
    ),
    changed_at: nullable(instant('when it changed; null as before_micros')),
  },
  'price of a URL',
);

const AccountRecord = defineRecord('account', 'The money and the work of an account, as the ledger knows them.', {
  account: text('name of the account'),
  balance_micros: nullable(micros('last reported balance in micro-lira; null when the service has not reported one')),
  balance_at: nullable(instant('when it was reported; null without one')),
  charged_since_balance_micros: micros('reported charges since then in micro-lira: the balance does not show them'),
  charged_today_micros: micros('reported charges since 00:00 UTC'),
  charged_this_month_micros: micros('reported charges since the first of the month, UTC'),
  charged_ever_micros: micros('all reported charges'),
  unknown_charge_urls: count('accepted URLs whose charge the service has not reported; in none of these sums'),
  unknown_charge_estimate_micros: micros('what the caps count for those, at the configured price; 0 without one'),
  committed_micros: micros('what may still be charged: planned, in flight or in doubt, index-checks included'),
  left_micros: nullable(
    micros('balance less what was charged since and what is committed, the floor included; null without a balance'),
  ),
  price: group({ standard: PriceFields, fast: PriceFields }, 'price of a URL by service level'),
  batches: group(
    {
      planned: count('planned, not sent'),
      in_doubt: count('sent, outcome not known'),
      open: count('accepted, their job has not ended'),
      overdue: count('of them those that are no longer polled; you decide: `courier batches resolve`'),
      needs_review: count('you decide: `courier batches resolve`'),
    },
    'batches by where they stand',
  ),
  in_doubt_since: nullable(instant('since when the oldest outcome is unknown; null when all are known')),
  suspended: nullable(text('why its batches wait for funds, or why the account is held; null when neither applies')),
  key_rejected: nullable(text('why its key is not used; null when it is')),
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
  account: text('name of its account'),
  state: oneOf(SCHEDULE_STATES, 'unscheduled: the server has no schedule of this watch'),
  next_run_at: nullable(instant('when it runs next; null unless it is scheduled')),
  last_run_at: nullable(instant('when its last run that was no preview started; null before the first')),
  failed_runs: count('runs in a row that were incomplete or broke off, up to the last; at most 50'),
  failing_since: nullable(instant('when the first of them started; null without any')),
  held_run: nullable(text('a run that waits for your decision or for money; null without one')),
  kept_back_urls: count('URLs that a cap or the balance kept back from the last run that ended'),
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
  /** The watch or account, or the ledger. */
  readonly subject: string;
  readonly exitCode: ExitCode;
  /** What it is, and what to do. */
  readonly problem: string;
  /** The same in lines, where it has several. */
  readonly lines?: readonly string[];
}

const ProblemRecord = defineRecord('problem', 'Something that needs you; only with `--check`.', {
  subject: text('name of the watch or account, or `ledger`'),
  exit_code: count('what it makes the command exit with, unless something worse does'),
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
      held: texts('runs that wait for your decision'),
      needs_review: count('batches that need review'),
    },
  },
  'watch list': { records: [ScheduleRecord], summary: { watches: count('configured watches') } },
  'watch pause': oneWatch,
  'watch resume': oneWatch,
  'watch trigger': oneWatch,
};
