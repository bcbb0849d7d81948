import { beginCheck } from '../../src/ledger/index-checks/begin-check.ts';
import { recordCheck } from '../../src/ledger/index-checks/record-check.ts';
import { listOverdueJobs } from '../../src/ledger/jobs/overdue-jobs.ts';
import { recordPoll } from '../../src/ledger/jobs/record-poll.ts';
import { recordUrlResults, settleJob } from '../../src/ledger/jobs/settle-job.ts';
import type { Ledger } from '../../src/ledger/open-ledger.ts';
import { judgeRun } from '../../src/ledger/plans/judge-run.ts';
import { planRun } from '../../src/ledger/plans/make-plan.ts';
import { getAccountFigures } from '../../src/ledger/reports/account-figures.ts';
import { getRunSummary } from '../../src/ledger/reports/run-summary.ts';
import { getUrlHistory } from '../../src/ledger/reports/url-history.ts';
import { getWatchFigures } from '../../src/ledger/reports/watch-figures.ts';
import { endRun } from '../../src/ledger/runs/runs.ts';
import type { RunId, WatchId } from '../../src/submission/ids.ts';
import { ACCOUNT, crawled, DAY, NO_GUARD, sendAll, shopUrl, WATCH } from './ledger.ts';

/** What a worker does with a watch in some weeks: three runs, their jobs, their checks. `configured`: all watches of the account. */
export async function workForWeeks(ledger: Ledger, configured: readonly WatchId[], pass: () => void): Promise<void> {
  const policies = { account: ACCOUNT, watch: WATCH };
  const check = { afterMs: DAY, everyMs: DAY, stopWhenFound: true, sample: 1, perDay: null, resubmitAfter: 2 };
  const sites = {
    r1: { a: [['1', '2026-01-01'], '2', '3'], b: ['4', '5'] },
    r2: { a: [['1', '2026-02-02'], '2', '9'], b: { cut: ['4'] } },
    r3: { a: [['1', '2026-02-03'], '4'], b: ['7'] },
  } as const;
  for (const [name, site] of Object.entries(sites)) {
    const run = name as RunId;
    await crawled(ledger, name, site, { configured });
    await judgeRun(ledger, run, { ...NO_GUARD, maxNew: 1_000 }, { input: policies });
    await planRun(ledger, run, policies);
    await endRun(ledger, run, 'finished');
    for (const reference of await sendAll(ledger)) {
      const terminalStates = ['completed', 'partial'];
      await recordPoll(ledger, ACCOUNT.id, reference, { state: 'partial', terminalStates });
      await recordUrlResults(ledger, ACCOUNT.id, reference, [
        { url: shopUrl('1'), result: 'failed', reason: 'HTTP 404' },
        { url: shopUrl('2'), result: 'completed', reason: null },
      ]);
      await settleJob(ledger, ACCOUNT.id, reference, { retryFailed: { times: 1, afterMs: 0 } });
    }
    pass();
    const checking = await beginCheck(ledger, { account: ACCOUNT, watch: WATCH.id, spend: WATCH.spend, policy: check });
    if (checking.kind === 'send') {
      const results = checking.urls.map((url) => ({ url, verdict: 'not-found', statusName: 'not found' }) as const);
      const outcome = { kind: 'checked', chargeState: 'charged', results, charged: null, balance: null, usable: true };
      await recordCheck(ledger, checking.check, { attempt: 1, outcome, requestId: null } as never, check);
    }
    await getRunSummary(ledger, run);
    await getUrlHistory(ledger, shopUrl('1'));
  }
  await listOverdueJobs(ledger, ACCOUNT.id, { standard: DAY, fast: DAY });
  await getAccountFigures(ledger, ACCOUNT.id);
  await getWatchFigures(ledger, WATCH.id);
}
