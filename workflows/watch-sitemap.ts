import { ApplicationFailure, allHandlersFinished, condition, setHandler, workflowInfo } from '@temporalio/workflow';
import type { RunId } from '../src/submission/ids.ts';
import { FAILURE_TYPE } from '../src/temporal-api/failure-types.ts';
import { planQuery, urlsQuery, wakeSignal } from '../src/temporal-api/messages.ts';
import type { GuardHold, PlanReport, PlanWithSample, RunReport, WatchRun } from '../src/temporal-api/payloads.ts';
import { WATCH_PHASE } from '../src/temporal-api/phases.ts';
import { describeHold, describeResult, findRunFailure } from '../src/temporal-api/result-sentences.ts';
import { withoutStack } from '../src/temporal-api/retry-later.ts';
import { batches, money, urls } from '../src/temporal-api/sentences.ts';
import type { WatchInput, WatchResult, WithSummary } from '../src/temporal-api/workflows.ts';
import { proxyDuty } from './duty-activities.ts';
import { acceptDecision } from './hold.ts';
import { showWaits } from './show-waits.ts';
import { createStatus, type StatusDisplay } from './status.ts';
import { setVersioning } from './versioning.ts';

const ledgerWork = {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
} as const;
const { beginRun, diffRun, judgeRun, findDecision, recordDecision, planRun, finishRun } = proxyDuty(
  'crawl',
  ledgerWork,
);
/** What a run asks of the queue that sends goes before or after other requests by its kind, never by the run's priority. */
const amongSends = { priority: { priorityKey: 3 } } as const;
const { wakeDispatcher } = proxyDuty('submit', { ...ledgerWork, ...amongSends });
/**
 * No maximum of attempts: the server would count those that a database or a worker took. Failures of the crawl itself are
 * counted by the worker (activities/interceptor.ts); three days bound what no worker survives.
 */
const { crawlWatch } = proxyDuty('crawl', {
  startToCloseTimeout: '12 hours',
  scheduleToCloseTimeout: '3 days',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '5 seconds', maximumInterval: '15 minutes' },
});
/** Short waits are retries, which add nothing to the history; longer ones are timers that say for what. */
const { awaitRun } = proxyDuty('submit', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 1 },
  ...amongSends,
});
const SHOWN_FROM_MS = 10_000;

setVersioning(watchSitemap, 'PINNED');

/** One run of a watch: crawl, compare with the ledger, plan what is new, hand over to the dispatcher. */
export async function watchSitemap({ watch, account, until, maxCost }: WatchInput): Promise<WithSummary<WatchResult>> {
  const run: WatchRun = { watch, account, run: workflowInfo().workflowId as RunId };
  const ask = () => findDecision.executeWithOptions({ summary: 'Read the decision, if there is one' }, [run]);
  const decided = acceptDecision(ask);
  const { show, showWait } = createStatus();
  const facts = answerQuestions();

  show(WATCH_PHASE.crawling, `Reads the sitemaps of ${watch}.`, { next: 'compare with the ledger' });
  await beginRun.executeWithOptions({ summary: 'Open the run in the ledger' }, [run]);
  const crawl = await crawlWatch.executeWithOptions({ summary: `Read the sitemaps of ${watch}` }, [run]);

  show(WATCH_PHASE.comparing, `Compares ${urls(crawl.urls)} with the ledger.`, { found: urls(crawl.urls) });
  const counts = await diffRun.executeWithOptions({ summary: `Compare ${urls(crawl.urls)} with the ledger` }, [
    { ...run, complete: crawl.complete },
  ]);

  const hold = await judgeRun.executeWithOptions({ summary: 'Check the change against the guards' }, [run]);
  let decision: WatchResult['decision'] = 'none needed';
  if (hold !== null) {
    decided.hold();
    // A reset repeats an approval before the run is held again, when it is refused: the ledger has it.
    decided.accept(await ask());
    const question = describeHold(hold);
    facts.holds(hold, question);
    show(WATCH_PHASE.held, `HELD: ${question}`, {
      'waits for': 'your decision: send the update approve or reject, without data',
      'would cost': money(hold.question.cost),
      why: hold.reasons.join('; '),
      'allowed now': urls(hold.question.allowed),
      new: urls(counts.new),
      gone: urls(counts.gone),
      'for example': hold.sample.join('<br>'),
    });
    decision = await decided.wait(hold);
    await recordDecision.executeWithOptions({ summary: `Record: ${decision}` }, [
      { ...run, decision, by: decided.by() },
    ]);
    if (decision === 'rejected') {
      const result = { crawl, counts, plan: null, report: null, decision };
      const summary = describeResult(result, decided.by());
      show(WATCH_PHASE.rejected, summary, { by: decided.by(), bought: 'nothing' });
      await finishRun.executeWithOptions({ summary: 'Close the run' }, [run]);
      await condition(allHandlersFinished);
      return { summary, ...result };
    }
  }

  show(WATCH_PHASE.planning, `Plans ${urls(counts.new + counts.changed)}.`, {
    new: urls(counts.new),
    changed: urls(counts.changed),
  });
  const plan = await planRun.executeWithOptions({ summary: `Plan ${urls(counts.new + counts.changed)}` }, [
    maxCost === undefined ? run : { ...run, maxCost },
  ]);
  facts.plans(plan);
  // Even when this run planned nothing: continues batches that an earlier run left unsent or untracked.
  await wakeDispatcher.executeWithOptions({ summary: `Wake the dispatcher of ${account}` }, [{ account }]);

  const report = until === 'planned' ? null : await awaitBatches(run, until, plan, { show, showWait });
  const verdict = await finishRun.executeWithOptions({ summary: 'Close the run' }, [run]);
  const result = { crawl, counts, plan, report, decision };
  const summary = describeResult(result);
  const failure = findRunFailure(result, verdict);
  const ended = failure !== null ? WATCH_PHASE.failed : crawl.complete ? WATCH_PHASE.done : WATCH_PHASE.incomplete;
  show(ended, failure?.message ?? summary, {
    found: urls(counts.found),
    new: urls(counts.new),
    planned: urls(plan.urls),
    cost: report !== null && report.unknownChargeUrls > 0 ? money(null) : money(report?.charged ?? plan.cost),
    ...(plan.held > 0 ? { held: `${urls(plan.held)}: ${plan.heldReason}` } : {}),
    ...(crawl.complete ? {} : { incomplete: crawl.problems[0] ?? 'some sitemaps could not be read' }),
  });
  await condition(allHandlersFinished);
  if (failure !== null) {
    throw withoutStack(
      ApplicationFailure.create({
        message: failure.message,
        type: FAILURE_TYPE[failure.kind],
        nonRetryable: true,
        details: [{ summary, ...result }],
      }),
    );
  }
  return { summary, ...result };
}

/** Waits until the batches of the run are accepted, or have ended, and shows what they wait for. */
async function awaitBatches(
  run: WatchRun,
  until: 'accepted' | 'terminal',
  plan: PlanReport,
  { show, showWait }: StatusDisplay,
): Promise<RunReport> {
  const planned = `${urls(plan.urls)} in ${batches(plan.batches)}`;
  const rows = { plan: planned, cost: money(plan.cost) };
  show(WATCH_PHASE.submitting, `Waits until every batch is ${until}: ${planned}, ${money(plan.cost)}.`, rows);
  let isWoken = false;
  setHandler(
    wakeSignal,
    () => {
      isWoken = true;
    },
    { description: 'Check now whether its batches are done. No data is needed.' },
  );
  for (;;) {
    const report = await showWaits(
      (waits) =>
        awaitRun.executeWithOptions({ summary: `Wait until every batch is ${until}` }, [{ ...run, until, ...waits }]),
      {
        fromMs: SHOWN_FROM_MS,
        label: 'WAITING',
        stop: () => isWoken,
        onWait: ({ why, next }) => showWait(WATCH_PHASE.waiting, `WAITING: ${why}.`, { next, ...rows }),
      },
    );
    if (report !== null) return report;
    isWoken = false;
  }
}

/** Answers the queries `plan` and `urls`, from what the run knows so far. */
function answerQuestions() {
  let plan: { readonly summary: string } & Readonly<Record<string, unknown>> = { summary: 'Nothing is planned yet.' };
  let sample: readonly string[] = [];
  let what = 'No URL is known yet.';
  setHandler(planQuery, () => plan, { description: 'What it plans to buy, for which money. No data is needed.' });
  setHandler(urlsQuery, () => ({ summary: `${what} "courier why URL" explains any other.`, sample }), {
    description: 'A few of its URLs: those that a guard asks about, or that are planned. No data is needed.',
  });
  return {
    holds(hold: GuardHold, question: string) {
      plan = { summary: `HELD: ${question}`, wouldCost: money(hold.question.cost), reasons: hold.reasons };
      sample = hold.sample;
      what = `${urls(sample.length)} of what the guard asks about.`;
    },
    plans({ sample: planned, ...rest }: PlanWithSample) {
      const held = rest.held > 0 ? ` ${urls(rest.held)} held back: ${rest.heldReason}.` : '';
      plan = { summary: `${urls(rest.urls)} in ${batches(rest.batches)} for ${money(rest.cost)}.${held}`, ...rest };
      sample = planned;
      what =
        rest.urls === 0 ? 'No URL is planned.' : `${urls(sample.length)} of the ${urls(rest.urls)} that are planned.`;
    },
  };
}
