import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { Micros } from '../contract/money.ts';
import type { RunId } from '../src/submission/ids.ts';
import { CHECK_PHASE } from '../src/temporal-api/phases.ts';
import type { CheckInput, CheckResult } from '../src/temporal-api/workflows.ts';
import { money, table, urls } from './details.ts';
import { proxyDuty } from './duty-activities.ts';
import { showPhase } from './phase.ts';

const { checkNextBatch } = proxyDuty('check', {
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 1 },
  priority: { priorityKey: 3 },
});

/** Checks the due URLs of a watch in batches of at most 50, until none is left or the check budget is spent. */
export async function checkIndex({ watch, account, soFar }: CheckInput): Promise<CheckResult> {
  let checked = soFar?.checked ?? 0;
  let found = soFar?.found ?? 0;
  let charged = soFar?.charged ?? 0;
  const show = (phase: string) => {
    showPhase(phase);
    setCurrentDetails(table({ phase, checked: urls(checked), found: urls(found), charged: money(charged as Micros) }));
  };
  const run = workflowInfo().workflowId as RunId;
  show(CHECK_PHASE.checking);
  for (;;) {
    const step = await checkNextBatch.executeWithOptions({ summary: `Check due URLs of ${watch}` }, [
      { watch, account, run },
    ]);
    if (step.kind !== 'checked') {
      show(step.kind === 'idle' ? CHECK_PHASE.done : CHECK_PHASE.stopped);
      return { checked, found, charged: charged as Micros, stopped: step.kind === 'stopped' ? step.reason : null };
    }
    checked += step.urls;
    found += step.found;
    charged += step.charged;
    if (step.stop !== undefined) {
      show(CHECK_PHASE.stopped);
      return { checked, found, charged: charged as Micros, stopped: step.stop };
    }
    setCurrentDetails(
      table({
        phase: CHECK_PHASE.checking,
        checked: urls(checked),
        found: urls(found),
        charged: money(charged as Micros),
      }),
    );
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof checkIndex>({ watch, account, soFar: { checked, found, charged } });
    }
  }
}
