import { continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import { wakeSignal } from '../src/temporal-api/messages.ts';
import { DISPATCH_PHASE } from '../src/temporal-api/phases.ts';
import { batches, urls } from '../src/temporal-api/sentences.ts';
import { toSummary } from '../src/temporal-api/summary.ts';
import type { CanWait } from '../src/temporal-api/waits.ts';
import type { DispatchInput, DispatchResult, WithSummary } from '../src/temporal-api/workflows.ts';
import { proxyDuty } from './duty-activities.ts';
import { raceWithSignal } from './race-with-signal.ts';
import { showWaits } from './show-waits.ts';
import { createStatus } from './status.ts';
import { setVersioning } from './versioning.ts';

/**
 * A short denial of the rate limiter, a 429 and an unknown outcome are retries with a delay of their own: no worker slot
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

/** Waits for the next request are shorter than this while the account sends. */
const SHOWN_FROM_MS = 20_000;

setVersioning(dispatchAccount, 'AUTO_UPGRADE');

/**
 * Sends an account's planned batches, one after another, in the ledger's order. The ledger is the source of truth. A
 * signal only wakes the workflow, so one that is lost, duplicated or left behind changes nothing. Ends when nothing is
 * planned; the next plan starts it again.
 */
export async function dispatchAccount({
  account,
  sentBatches = 0,
  sentUrls = 0,
}: DispatchInput): Promise<WithSummary<DispatchResult>> {
  let woken = false;
  setHandler(
    wakeSignal,
    () => {
      woken = true;
    },
    {
      description:
        'Read the ledger again: batches were planned, the balance was topped up, or the key works again. No data is needed.',
    },
  );
  const status = createStatus();
  const describeSent = () => `${batches(sentBatches)} with ${urls(sentUrls)} accepted so far`;
  const show = (phase: string, summary: string, rows: Readonly<Record<string, string>> = {}) =>
    status.show(phase, summary, { ...rows, sent: describeSent() });
  const showWait = (phase: string, summary: string, rows: Readonly<Record<string, string>>) =>
    status.showWait(phase, summary, { ...rows, sent: describeSent() });

  /** Ends a wait: after a signal, or when the history is long enough for a new execution, the ledger is read again. */
  const stop = () => woken || workflowInfo().continueAsNewSuggested;
  const wait = async (phase: string, label: string, rows: Readonly<Record<string, string>>, call: Awaiting) => {
    woken = false;
    await showWaits(
      (waits) =>
        raceWithSignal(
          () => call(waits),
          () => woken,
        ),
      {
        fromMs: 0,
        label,
        stop,
        onWait: ({ why, next }) => showWait(phase, `${label}: ${why}.`, { next, ...rows }),
      },
    );
  };

  for (;;) {
    woken = false;
    const taken = await showWaits(
      (waits) => sendNextBatch.executeWithOptions({ summary: 'Send the next planned batch' }, [{ account, ...waits }]),
      {
        fromMs: SHOWN_FROM_MS,
        label: 'WAITING',
        stop,
        onWait: ({ why, next }) => showWait(DISPATCH_PHASE.waiting, `WAITING: ${why}.`, { next }),
      },
    );
    switch (taken?.kind) {
      case undefined:
        break;
      case 'sent':
        sentBatches += 1;
        sentUrls += taken.urls;
        show(DISPATCH_PHASE.sending, `Sends the planned batches: ${describeSent()}.`, {
          last: `batch ${taken.batch} of ${taken.watch}: ${taken.outcome}`,
        });
        break;
      case 'suspended':
        show(DISPATCH_PHASE.suspended, `SUSPENDED: ${taken.reason}`, {
          next: 'resumes automatically when the funds suffice',
        });
        await wait(DISPATCH_PHASE.suspended, 'SUSPENDED', { why: taken.reason }, (waits) =>
          awaitMoney.executeWithOptions({ summary: toSummary(`Suspended: ${taken.reason}`) }, [{ account, ...waits }]),
        );
        break;
      case 'key_rejected':
        show(DISPATCH_PHASE.keyRejected, `KEY REJECTED: ${taken.reason}`, {
          next: 'correct the key; resumes automatically when the key works',
        });
        await wait(DISPATCH_PHASE.keyRejected, 'KEY REJECTED', { why: taken.reason }, (waits) =>
          awaitKey.executeWithOptions({ summary: toSummary(`Key rejected: ${taken.reason}`) }, [{ account, ...waits }]),
        );
        break;
      case 'idle':
        if (woken) break;
        show(DISPATCH_PHASE.done, `Nothing is planned: ${describeSent()}.`, {
          next: 'starts again with the next plan',
        });
        return { summary: `Nothing more is planned: ${describeSent()}.`, sentBatches, sentUrls };
    }
    if (workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof dispatchAccount>({ account, sentBatches, sentUrls });
    }
  }
}

type Awaiting = (waits: CanWait) => Promise<void>;
