import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Micros } from '../contract/money.ts';
import type { RunId } from '../src/submission/ids.ts';
import { CHECK_PHASE } from '../src/temporal-api/phases.ts';
import { money, urls, withoutStop } from '../src/temporal-api/sentences.ts';
import type { CheckInput, CheckResult, WithSummary } from '../src/temporal-api/workflows.ts';
import { proxyDuty } from './duty-activities.ts';
import { showWaits } from './show-waits.ts';
import { createStatus } from './status.ts';
import { setVersioning } from './versioning.ts';

const { checkNextBatch } = proxyDuty('check', {
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 1 },
  priority: { priorityKey: 3 },
});

/** Waits for the next request are shorter than this while the account checks. */
const SHOWN_FROM_MS = 20_000;

setVersioning(checkIndex, 'PINNED');

/** Checks the due URLs of a watch in batches of at most 50, until none is left or the check budget is spent. */
export async function checkIndex({ watch, account, soFar }: CheckInput): Promise<WithSummary<CheckResult>> {
  let checked = soFar?.checked ?? 0;
  let found = soFar?.found ?? 0;
  let charged = soFar?.charged ?? 0;
  const { show: display, showWait } = createStatus();
  const describe = () => `${urls(checked)} checked, ${urls(found)} found in the index, ${money(charged as Micros)}`;
  const show = (phase: string, why = '', next = 'nothing') =>
    display(phase, `${why}${describe()}.`, {
      next,
      checked: urls(checked),
      found: urls(found),
      charged: money(charged as Micros),
    });
  const end = (stopped: string | null): WithSummary<CheckResult> => {
    const why = stopped === null ? '' : `Stopped: ${withoutStop(stopped)}. `;
    show(stopped === null ? CHECK_PHASE.done : CHECK_PHASE.stopped, why);
    return { summary: `${why}${describe()}.`, checked, found, charged: charged as Micros, stopped };
  };
  const run = workflowInfo().workflowId as RunId;
  show(CHECK_PHASE.checking, '', 'the next URLs');
  for (;;) {
    const step = await showWaits(
      (waits) =>
        checkNextBatch.executeWithOptions({ summary: `Check due URLs of ${watch}` }, [
          { watch, account, run, ...waits },
        ]),
      {
        fromMs: SHOWN_FROM_MS,
        label: 'WAITING',
        stop: () => workflowInfo().continueAsNewSuggested,
        onWait: ({ why, next }) => showWait(CHECK_PHASE.checking, `WAITING: ${why}.`, { next, 'so far': describe() }),
      },
    );
    if (step !== null) {
      if (step.kind !== 'checked') return end(step.kind === 'stopped' ? step.reason : null);
      checked += step.urls;
      found += step.found;
      charged += step.charged;
      if (step.stop !== null) return end(step.stop);
      show(CHECK_PHASE.checking, '', 'the next URLs');
    }
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof checkIndex>({ watch, account, soFar: { checked, found, charged } });
    }
  }
}
