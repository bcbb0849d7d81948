import { type Query, sql } from '../../src/database/sql.ts';
import { selectShares } from '../../src/ledger/batches/fair-share.ts';
import { selectMoved } from '../../src/ledger/batches/take-back-moved.ts';
import {
  selectChecked,
  selectLeft,
  selectListed,
  selectOfRemoved,
  selectQuarantinedPage,
  selectSpelled,
} from '../../src/ledger/crawl/earlier-purchases.ts';
import { selectNamed, selectStanding } from '../../src/ledger/forgotten/forget-selection.ts';
import { selectAnyForgotten, selectForgotten } from '../../src/ledger/forgotten/restore-forgotten.ts';
import { selectWaiting, updateNextTimes } from '../../src/ledger/index-checks/check-queue.ts';
import { selectOverdue } from '../../src/ledger/jobs/overdue-jobs.ts';
import { selectMembers, updateResults } from '../../src/ledger/jobs/settle-job.ts';
import { selectOverlaps } from '../../src/ledger/jobs/take-out.ts';
import { selectUnknown } from '../../src/ledger/journal/prices.ts';
import { selectCharged, selectClosedAfter } from '../../src/ledger/journal/sums.ts';
import { selectQuiet } from '../../src/ledger/money/balance-readings.ts';
import { selectDueCount, selectDuePage, selectDueRows } from '../../src/ledger/pages/due.ts';
import { selectSharedPages } from '../../src/ledger/plans/resubmission.ts';
import { selectPageKinds } from '../../src/ledger/plans/survey-due.ts';
import { selectAccepted, selectGroups } from '../../src/ledger/reports/accepted-batches.ts';
import { selectDue, selectInDoubt, selectInReview, selectPending } from '../../src/ledger/reports/account-figures.ts';
import { selectDoneChecks, selectFirstFound } from '../../src/ledger/reports/checked-urls.ts';
import { selectEndedRuns } from '../../src/ledger/reports/run-days.ts';
import { selectDueUrls, selectQuarantineReasons, selectWaitingBatches } from '../../src/ledger/reports/waiting.ts';
import { countChecked, countUrls, selectWatchDays } from '../../src/ledger/reports/watch-days.ts';
import { countQuarantined, selectLastRuns } from '../../src/ledger/reports/watch-figures.ts';
import type { AccountId, BatchId, WatchId } from '../../src/submission/ids.ts';
import type { Url } from '../../src/url/normalize-url.ts';

const account = 'main' as AccountId;
/** A balance was read then. */
const LATELY = Date.UTC(2026, 1, 28, 23, 50);

/** Queries that run while money waits: each must find its rows by an index, however long the history is. */
export const HOT_QUERIES: readonly { readonly what: string; readonly query: Query; readonly index: string }[] = [
  { what: 'a page of due URLs', query: selectDuePage(1, ''), index: 'urls_due' },
  { what: 'the kinds of a page of due URLs', query: selectPageKinds(1, ''), index: 'urls_due' },
  { what: 'URLs that wait for their batch', query: selectDueRows([1, 2]), index: 'INTEGER PRIMARY KEY' },
  { what: 'the number of due URLs', query: selectDueCount(1), index: 'urls_due' },
  { what: 'a page of due checks', query: selectWaiting(1, 5, { next_at: 0, id: 0 }), index: 'check_queue_due' },
  { what: 'new times of checks', query: updateNextTimes([[1, 2]]), index: 'sqlite_autoindex_check_queue_1' },
  {
    what: 'what a watch left in other accounts',
    query: selectMoved('shop' as WatchId, account),
    index: 'batches_waiting',
  },
  { what: 'batches that hold the URLs of a job', query: selectOverlaps(account, [1], 1), index: 'batch_urls_once' },
  { what: 'URLs of a job', query: selectMembers(1, [[1, 'https://a/b']]), index: 'batch_urls_once' },
  {
    what: 'results of a job',
    query: updateResults(1, [[1, 'failed', null]]),
    index: 'batch_urls_once',
  },
  { what: 'URLs that other watches have', query: selectSharedPages(1, [1]), index: 'urls_by_fp' },
  { what: 'purchases of a removed watch', query: selectOfRemoved([{ id: 1 }], [2]), index: 'urls_by_fp' },
  {
    what: 'recovered purchases in another spelling',
    query: selectSpelled({ seed: 1 }, [{ id: 1, url: 'https://a/b' as Url }], [{ run: 1, crawled: 1 }]),
    index: 'urls_by_fp',
  },
  { what: 'whether anything is forgotten', query: selectAnyForgotten, index: 'urls_forgotten' },
  { what: 'forgotten pages among due ones', query: selectForgotten([1n]), index: 'urls_by_fp' },
  { what: 'what stands against forgetting', query: selectStanding([1], [], 0), index: 'urls_by_fp' },
  { what: 'pages to forget by address', query: selectNamed([[1, 'https://a/b']]), index: 'urls_by_fp' },
  { what: 'rows that take over a purchase', query: selectListed([1], 2), index: 'urls_by_fp' },
  { what: 'what another watch has left', query: selectLeft([2], 1), index: 'urls_left' },
  { what: 'checks of a removed watch', query: selectChecked(2, 1), index: 'check_queue_due' },
  { what: 'quarantine of a removed watch', query: selectQuarantinedPage(1, 0), index: 'urls_quarantined' },
  { what: 'overdue jobs', query: selectOverdue(account, { standard: 0, fast: 0 }), index: 'batches_followed' },
  {
    what: 'a batch by its tag',
    query: sql`SELECT id FROM batches WHERE account_id = ${account} AND tag = ${'sc1'} AND reference IS NULL`,
    index: 'batches_by_tag',
  },
  {
    what: 'what checks cost today',
    query: sql`SELECT sum(counted) FROM journal_totals WHERE watch_id = ${1} AND day >= ${5} AND kind = 'check'`,
    index: 'journal_totals_by_watch',
  },
  {
    what: 'the last checks of a watch',
    query: sql`SELECT state FROM checks WHERE watch_id = ${1} ORDER BY id DESC LIMIT 1`,
    index: 'checks_by_watch',
  },
  {
    what: 'charges of the month',
    query: selectCharged(account, Date.UTC(2026, 1, 25)),
    index: 'journal_totals USING PRIMARY KEY',
  },
  { what: 'whether a balance shows all that is booked', query: selectQuiet(account, LATELY), index: 'checks_open' },
  {
    what: 'what was booked since a balance',
    query: selectClosedAfter(account, { id: 1, at: LATELY }),
    index: 'journal_by_account',
  },
  {
    what: 'charges that wait for a price',
    query: selectUnknown(account, 'fast'),
    index: 'journal_unknown',
  },
  { what: 'batches that are due', query: selectDue(account), index: 'batches_waiting' },
  { what: 'shares of the watches that wait', query: selectShares(account, 'fast', 1, 5), index: 'batches_waiting' },
  { what: 'batches in doubt', query: selectInDoubt(account), index: 'batches_in_doubt' },
  { what: 'batches that need review', query: selectInReview(account), index: 'batches_in_review' },
  { what: 'jobs that have not ended', query: selectPending(account), index: 'batches_followed' },
  { what: 'the last runs of a watch', query: selectLastRuns(['shop' as WatchId]), index: 'runs_by_watch' },
  { what: 'URLs in quarantine', query: countQuarantined(['shop' as WatchId]), index: 'urls_quarantined' },
  { what: 'URLs of a page', query: countUrls(0, 10), index: 'USING INTEGER PRIMARY KEY' },
  { what: 'checked URLs of a page', query: countChecked(0, 10), index: 'USING INTEGER PRIMARY KEY' },
  { what: 'days of a watch', query: selectWatchDays('shop' as WatchId, 0), index: 'USING PRIMARY KEY' },
  { what: 'ended runs of a watch', query: selectEndedRuns(1, 0), index: 'runs_by_watch' },
  {
    what: 'accepted batches',
    query: selectAccepted(account, 0, { at: 1, id: 1 }),
    index: 'batches_by_acceptance',
  },
  { what: 'URLs of accepted batches', query: selectGroups([{ batch: 1 as BatchId }]), index: 'm USING PRIMARY KEY' },
  { what: 'checks of a period', query: selectDoneChecks(1, 0), index: 'checks_done' },
  { what: 'first finds', query: selectFirstFound([{ id: 1 }], 0), index: 'check_urls_by_url' },
  { what: 'due URLs of a report', query: selectDueUrls(1), index: 'urls_due' },
  { what: 'reasons of the quarantine', query: selectQuarantineReasons(1, 5), index: 'urls_quarantined' },
  { what: 'oldest unsent batches', query: selectWaitingBatches('to_be_sent', account, 5), index: 'batches_waiting' },
  { what: 'oldest batches in doubt', query: selectWaitingBatches('in_doubt', account, 5), index: 'batches_in_doubt' },
  { what: 'oldest reviews', query: selectWaitingBatches('needs_review', account, 5), index: 'batches_in_review' },
  { what: 'oldest open jobs', query: selectWaitingBatches('open_job', account, 5), index: 'batches_followed' },
];
