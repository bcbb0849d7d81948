import {
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../src/temporal-api/activities.ts';
import { wakeSignal } from '../src/temporal-api/messages.ts';
import { SEARCH_ATTRIBUTES } from '../src/temporal-api/search-attributes.ts';
import type { DispatchInput, DispatchResult } from '../src/temporal-api/workflows.ts';
import { count, table, urls } from './details.ts';

/**
 * An empty budget, a 429 and an unknown outcome are retries with a delay of their own: no slot sleeps and no history
 * grows. The interval here is for what names none, such as a killed worker; it does not grow, because the attempts
 * counted are waits, not failures.
 */
const sending = proxyActivities<Activities>({
  startToCloseTimeout: '3 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 1 },
  priority: { priorityKey: 1 },
});
const watching = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '30 seconds', backoffCoefficient: 1 },
  priority: { priorityKey: 4 },
});

/**
 * Sends an account's planned batches, one after another, in the ledger's order. The ledger is the truth and a signal
 * only wakes: one that is lost, doubled or left behind by continue-as-new changes nothing. Ends when nothing is planned;
 * the next plan starts it again.
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
      description: 'Look at the ledger again: batches were planned, the balance was topped up, or the key works again.',
    },
  );
  let phase = '';
  const show = (now: string, rows: Readonly<Record<string, string>>) => {
    if (now !== phase) upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.phase, value: now }]);
    phase = now;
    setCurrentDetails(table({ phase: now, ...rows, sent: `${count(sentBatches)} batches, ${urls(sentUrls)}` }));
  };

  for (;;) {
    woken = false;
    const turn = await sending.sendNextBatch.executeWithOptions({ summary: 'Send the next planned batch' }, [
      { account },
    ]);
    switch (turn.kind) {
      case 'sent':
        sentBatches += 1;
        sentUrls += turn.urls;
        show('sending', { last: `batch ${turn.batch} of ${turn.watch}: ${turn.outcome}` });
        break;
      case 'parked':
        show('parked', { why: turn.reason, next: 'goes on by itself when the money suffices' });
        await untilWokenOr(() =>
          watching.awaitMoney.executeWithOptions({ summary: `Parked: ${turn.reason}` }, [{ account }]),
        );
        break;
      case 'refused':
        show('stopped', { why: turn.reason, next: 'correct the key; it goes on by itself when the key works' });
        await untilWokenOr(() =>
          watching.awaitKey.executeWithOptions({ summary: `Stopped: ${turn.reason}` }, [{ account }]),
        );
        break;
      case 'idle':
        if (woken) break;
        show('done', { next: 'starts again with the next plan' });
        return { sentBatches, sentUrls };
    }
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof dispatchAccount>({ account, sentBatches, sentUrls });
    }
  }

  async function untilWokenOr(wait: () => Promise<void>): Promise<void> {
    woken = false;
    try {
      await CancellationScope.cancellable(async () => {
        const scope = CancellationScope.current();
        await Promise.race([wait(), condition(() => woken)]);
        scope.cancel();
      });
    } catch (error) {
      // Our own cancel of the wait; a cancel of the whole workflow still ends it.
      if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
    }
  }
}
