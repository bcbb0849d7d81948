import { type Client, isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import type { Ledger } from '../ledger/open-ledger.ts';
import { countOpenJobs, getEarlierBatches } from '../ledger/reports/earlier-work.ts';
import type { RunId } from '../submission/ids.ts';
import { wakeSignal } from '../temporal-api/messages.ts';
import { WATCH_PHASE } from '../temporal-api/phases.ts';
import type { JobProgress } from './run-client.ts';

/** Between two checks of the ledger. */
const CHECK_MS = 5_000;

/**
 * Wakes a run that waits although nothing of it is left to wait for: the longer a run waits, the later it checks, up to half
 * an hour. Costs a query of the ledger and one signal, and the service no request. `until`: as the run has it.
 */
export function createRunWaker(
  { client, ledger, now }: { readonly client: Client; readonly ledger: Ledger; readonly now: () => number },
  run: RunId,
  until: 'accepted' | 'terminal',
): (progress: JobProgress) => Promise<void> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async ({ phase, summary }) => {
    if (phase !== WATCH_PHASE.waiting || summary === null || summary.unanswered > 0) return;
    if (now() - checkedAt < CHECK_MS) return;
    checkedAt = now();
    if ((await getEarlierBatches(ledger, run)).due > 0) return;
    if (until === 'terminal' && (await countOpenJobs(ledger, run)) > 0) return;
    await client.workflow
      .getHandle(run)
      .signal(wakeSignal)
      .catch((error: unknown) => {
        // It has ended, or the server does not respond now: then the run checks by itself.
        if (error instanceof WorkflowNotFoundError || error instanceof ServiceError || isGrpcServiceError(error))
          return;
        throw error;
      });
  };
}
