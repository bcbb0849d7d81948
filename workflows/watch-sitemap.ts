import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { RunId } from '../src/submission/ids.ts';
import { FAILURE_TYPE } from '../src/temporal-api/failure-types.ts';
import { approveUpdate, type Decision, describeDecision, rejectUpdate } from '../src/temporal-api/messages.ts';
import type { GuardHold, RunCounts, RunReport, WatchRun } from '../src/temporal-api/payloads.ts';
import { WATCH_PHASE } from '../src/temporal-api/phases.ts';
import type { WatchInput, WatchResult } from '../src/temporal-api/workflows.ts';
import { money, table, urls } from './details.ts';
import { proxyDuty } from './duty-activities.ts';
import { showPhase } from './phase.ts';

const ledgerWork = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
} as const;
const { beginRun, diffRun, judgeRun, recordDecision, planRun, finishRun } = proxyDuty('crawl', ledgerWork);
const { wakeDispatcher } = proxyDuty('submit', ledgerWork);
const { crawlWatch } = proxyDuty('crawl', {
  startToCloseTimeout: '12 hours',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '5 seconds', maximumInterval: '5 minutes', maximumAttempts: 5 },
});
/** The server retries it until the wait is over, without adding to the history. */
const { awaitRun } = proxyDuty('submit', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 1 },
});

/** One run of a watch: crawl, compare with the ledger, plan what is new, hand over to the dispatcher. */
export async function watchSitemap({ watch, account, until, maxCost }: WatchInput): Promise<WatchResult> {
  const run: WatchRun = { watch, account, run: workflowInfo().workflowId as RunId };
  const decided = holdsForDecision();

  show(WATCH_PHASE.crawling, { next: 'diff against the ledger' });
  await beginRun.executeWithOptions({ summary: 'Open the run in the ledger' }, [run]);
  const crawl = await crawlWatch.executeWithOptions({ summary: `Read the sitemaps of ${watch}` }, [run]);

  show(WATCH_PHASE.comparing, { found: urls(crawl.urls) });
  const counts = await diffRun.executeWithOptions({ summary: `Compare ${urls(crawl.urls)} with the ledger` }, [
    { ...run, complete: crawl.complete },
  ]);

  const hold = await judgeRun.executeWithOptions({ summary: 'Check the change against the guards' }, [run]);
  let decision: WatchResult['decision'] = 'none needed';
  if (hold !== null) {
    decision = await decided.wait(hold, counts);
    await recordDecision.executeWithOptions({ summary: `Record: ${decision}` }, [
      { ...run, decision, by: decided.by() },
    ]);
    if (decision === 'rejected') {
      show(WATCH_PHASE.rejected, { by: decided.by(), bought: 'nothing' });
      await finishRun.executeWithOptions({ summary: 'Close the run' }, [run]);
      await condition(allHandlersFinished);
      return { crawl, counts, plan: null, report: null, decision };
    }
  }

  show(WATCH_PHASE.planning, { new: urls(counts.new), changed: urls(counts.changed) });
  const plan = await planRun.executeWithOptions({ summary: `Plan ${urls(counts.new + counts.changed)}` }, [
    maxCost === undefined ? run : { ...run, maxCost },
  ]);
  // Even when this run planned nothing: continues batches that an earlier run left unsent or untracked.
  await wakeDispatcher.executeWithOptions({ summary: `Wake the dispatcher of ${account}` }, [{ account }]);

  let report: RunReport | null = null;
  if (until !== 'planned') {
    show(WATCH_PHASE.submitting, { plan: `${urls(plan.urls)} in ${plan.batches} batches`, cost: money(plan.cost) });
    report = await awaitRun.executeWithOptions({ summary: `Wait until every batch is ${until}` }, [{ ...run, until }]);
  }
  await finishRun.executeWithOptions({ summary: 'Close the run' }, [run]);
  show(WATCH_PHASE.done, {
    found: urls(counts.found),
    new: urls(counts.new),
    planned: urls(plan.urls),
    cost: report !== null && report.unknownChargeUrls > 0 ? money(null) : money(report?.charged ?? plan.cost),
    ...(plan.held > 0 ? { held: `${urls(plan.held)}: ${plan.heldReason}` } : {}),
    ...(crawl.complete ? {} : { incomplete: crawl.problems[0] ?? 'some sitemaps could not be read' }),
  });
  await condition(allHandlersFinished);
  return { crawl, counts, plan, report, decision };
}

function show(phase: string, rows: Readonly<Record<string, string>>): void {
  showPhase(phase);
  setCurrentDetails(table({ phase, ...rows }));
}

interface HeldDecision {
  wait(hold: GuardHold, counts: RunCounts): Promise<'approved' | 'rejected'>;
  by(): string;
}

/** Accepts a decision, but only while a guard holds the run. */
function holdsForDecision(): HeldDecision {
  let held = false;
  let taken: { decision: 'approved' | 'rejected'; by: string } | null = null;

  const validator = (_decision?: Decision) => {
    if (taken !== null)
      throw ApplicationFailure.nonRetryable(
        `This run was already ${taken.decision}; nothing was changed.`,
        FAILURE_TYPE.alreadyDecided,
      );
    if (!held)
      throw ApplicationFailure.nonRetryable(
        'No guard holds this run, so there is nothing to decide.',
        FAILURE_TYPE.nothingHeld,
      );
  };
  const take = (decision: 'approved' | 'rejected') => (given?: Decision) => {
    taken = { decision, by: describeDecision(given) };
    return decision;
  };
  setHandler(approveUpdate, take('approved'), {
    validator,
    description: 'Buy what this held run found. Data, optional: { "by": "your name", "note": "why" }',
  });
  setHandler(rejectUpdate, take('rejected'), {
    validator,
    description: 'Buy nothing of this held run. Data, optional: { "by": "your name", "note": "why" }',
  });

  return {
    async wait(hold, counts) {
      held = true;
      show(WATCH_PHASE.held, {
        'waits for': 'your decision: approve or reject this run',
        why: hold.reasons.join('; '),
        new: urls(counts.new),
        gone: urls(counts.gone),
        'for example': hold.sample.join('<br>'),
      });
      await condition(() => taken !== null);
      held = false;
      return taken?.decision ?? 'rejected';
    },
    by: () => taken?.by ?? '',
  };
}
