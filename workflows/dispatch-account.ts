import { continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import { wakeSignal } from '../src/temporal-api/messages.ts';
import { DISPATCH_PHASE } from '../src/temporal-api/phases.ts';
import { readDispatchStep } from '../src/temporal-api/recorded-payloads.ts';
import { toSummary } from '../src/temporal-api/summary.ts';
import type { DispatchInput, DispatchResult } from '../src/temporal-api/workflows.ts';
import { count, table, urls } from './details.ts';
import { proxyDuty } from './duty-activities.ts';
import { showPhase } from './phase.ts';
import { raceWithSignal } from './race-with-signal.ts';

/**
 * A denial of the rate limiter, a 429 and an unknown outcome are retries with a delay of their own: no worker slot
 * waits and no history grows. The interval here is for failures without a delay, such as a killed worker; it does not
 * grow, because most attempts are waits, not failures.
 */
const { sendNextBatch } = proxyDuty('submit', {
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 1 },
  priority: { priorityKey: 1 },
});
const { awaitMoney, awaitKey } = proxyDuty('submit', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '30 seconds', backoffCoefficient: 1 },
  priority: { priorityKey: 4 },
});

/**
 * Sends an account's planned batches, one after another, in the ledger's order. The ledger is the source of truth. A
 * signal only wakes the workflow, so one that is lost, duplicated or left behind changes nothing. Ends when nothing is
 * planned; the next plan starts it again.
 */
export async function dispatchAccount({
  account,
  sentBatches = 0,
  sentUrls = 0,
}: DispatchInput): Promise<DispatchResult> {
  let woken = false;
  setHandler(
    wakeSignal,
    () => {
      woken = true;
    },
    {
      description: 'Read the ledger again: batches were planned, the balance was topped up, or the key works again.',
    },
  );

  let phase = '';
  const show = (now: string, rows: Readonly<Record<string, string>>) => {
    if (now !== phase) showPhase(now);
    phase = now;
    setCurrentDetails(table({ phase: now, ...rows, sent: `${count(sentBatches)} batches, ${urls(sentUrls)}` }));
  };
  const wait = async (activity: () => Promise<void>) => {
    woken = false;
    await raceWithSignal(activity, () => woken);
  };

  for (;;) {
    woken = false;
    const step = readDispatchStep(
      await sendNextBatch.executeWithOptions({ summary: 'Send the next planned batch' }, [{ account }]),
    );
    switch (step.kind) {
      case 'sent':
        sentBatches += 1;
        sentUrls += step.urls;
        show(DISPATCH_PHASE.sending, { last: `batch ${step.batch} of ${step.watch}: ${step.outcome}` });
        break;
      case 'suspended':
        show(DISPATCH_PHASE.suspended, { why: step.reason, next: 'resumes automatically when the funds suffice' });
        await wait(() =>
          awaitMoney.executeWithOptions({ summary: toSummary(`Suspended: ${step.reason}`) }, [{ account }]),
        );
        break;
      case 'key_rejected':
        show(DISPATCH_PHASE.keyRejected, {
          why: step.reason,
          next: 'correct the key; resumes automatically when the key works',
        });
        await wait(() =>
          awaitKey.executeWithOptions({ summary: toSummary(`Key rejected: ${step.reason}`) }, [{ account }]),
        );
        break;
      case 'idle':
        if (woken) break;
        show(DISPATCH_PHASE.done, { next: 'starts again with the next plan' });
        return { sentBatches, sentUrls };
    }
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof dispatchAccount>({ account, sentBatches, sentUrls });
    }
  }
}
