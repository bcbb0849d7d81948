import {
  ApplicationFailure,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { formatSpan } from '../src/submission/span.ts';
import { FAILURE_TYPE } from '../src/temporal-api/failure-types.ts';
import { pollNowSignal } from '../src/temporal-api/messages.ts';
import type { JobStatus, TrackInput } from '../src/temporal-api/payloads.ts';
import { readTrackInput, recordedPollNowSignal } from '../src/temporal-api/recorded-payloads.ts';
import { toSummary } from '../src/temporal-api/summary.ts';
import { table, urls } from './details.ts';
import { proxyDuty } from './duty-activities.ts';
import { showPhase } from './phase.ts';
import { raceWithSignal } from './race-with-signal.ts';

/**
 * A poll that finds nothing new fails with a delay for its retry, so waiting seven days costs a handful of events and
 * the Web UI shows the next poll as the pending activity's next attempt. A failure without a delay, such as a killed
 * worker, is retried after a fixed interval: a hundred polls without news are not a hundred failures.
 */
const { followSubmission } = proxyDuty('track', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 1 },
  priority: { priorityKey: 2 },
});

/** Follows one accepted job to its terminal state and records the result of its URLs. */
export async function trackSubmission(recorded: TrackInput): Promise<JobStatus> {
  const input = readTrackInput(recorded);
  let pollNow = false;
  const requestPoll = () => {
    pollNow = true;
  };
  setHandler(pollNowSignal, requestPoll, { description: 'Poll the job now instead of at the next scheduled poll.' });
  setHandler(recordedPollNowSignal, requestPoll);
  let status: JobStatus = { state: 'queued', terminal: false, completed: 0, failed: 0, overdue: false };
  const show = (next: string) => {
    const rows = {
      reference: input.reference,
      state: status.state,
      next,
      urls: urls(input.urls),
      service: input.service,
    };
    setCurrentDetails(table(rows));
  };

  show(`first poll in ${formatSpan(input.firstPollMs)}`);
  if (input.firstPollMs > 0) {
    await condition(() => pollNow, input.firstPollMs, { summary: `First poll in ${formatSpan(input.firstPollMs)}` });
  }
  while (!status.terminal) {
    pollNow = false;
    show('polls with backoff');
    const known = status.state;
    const follow = () =>
      followSubmission.executeWithOptions({ summary: toSummary(`Follow ${input.reference}`) }, [{ ...input, known }]);
    // Null when a signal requests an immediate poll: the wait is dropped and starts again.
    const change = await raceWithSignal(follow, () => pollNow);
    if (change === null) continue;
    status = change;
    showPhase(status.state);
    if (status.overdue) {
      show('ask the service about this job');
      throw ApplicationFailure.nonRetryable(
        `Job ${input.reference} is still ${status.state} after the tracking timeout. Its ${urls(input.urls)} stay ` +
          `submitted and are not bought again. Ask the service about the job, then run "courier batches resolve ${input.batch}" ` +
          'with --release or --leave.',
        FAILURE_TYPE.submissionOverdue,
      );
    }
    if (!status.terminal && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof trackSubmission>({ ...input, firstPollMs: 0 });
    }
  }
  show(`ended: ${status.completed} completed, ${status.failed} failed`);
  return status;
}
