import { ApplicationFailure, condition, continueAsNew, setHandler, workflowInfo } from '@temporalio/workflow';
import { FAILURE_TYPE } from '../src/temporal-api/failure-types.ts';
import { pollNowSignal } from '../src/temporal-api/messages.ts';
import type { JobStatus, TrackInput } from '../src/temporal-api/payloads.ts';
import { withoutStack } from '../src/temporal-api/retry-later.ts';
import { count, money, urls } from '../src/temporal-api/sentences.ts';
import { toSummary } from '../src/temporal-api/summary.ts';
import type { WithSummary } from '../src/temporal-api/workflows.ts';
import { proxyDuty } from './duty-activities.ts';
import { showPhase } from './phase.ts';
import { raceWithSignal } from './race-with-signal.ts';
import { showWaits } from './show-waits.ts';
import { createStatus } from './status.ts';
import { setVersioning } from './versioning.ts';

/**
 * A poll that finds nothing new fails with a delay for its retry, so waiting seven days costs a handful of events and
 * the Web UI shows the next poll as the pending activity's next attempt. Where few jobs are open, the wait is a timer
 * that names the time instead. A failure without a delay, such as a killed worker, is retried after a fixed interval: a
 * hundred polls without news are not a hundred failures.
 */
const { followSubmission } = proxyDuty('track', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 1 },
  priority: { priorityKey: 2 },
});

setVersioning(trackSubmission, 'AUTO_UPGRADE');

/** Follows one accepted job to its terminal state and records the result of its URLs. */
export async function trackSubmission(input: TrackInput): Promise<WithSummary<JobStatus>> {
  let pollNow = false;
  setHandler(
    pollNowSignal,
    () => {
      pollNow = true;
    },
    { description: 'Poll the job now instead of at the next scheduled poll. No data is needed.' },
  );
  let status: JobStatus = { state: 'queued', terminal: false, completed: 0, failed: 0, overdue: false };
  // The state is a search attribute from the start on: it is set where it changes.
  const display = createStatus(() => undefined);
  const show = (summary: string, next: string) =>
    display.show(status.state, summary, {
      next,
      reference: input.reference,
      urls: urls(input.urls),
      service: input.service,
    });

  const stop = () => pollNow || workflowInfo().continueAsNewSuggested;
  const first = `first poll at ${input.firstPollAt}`;
  show(`Accepted: ${describeMoney(input)}.`, first);
  if (input.firstPollMs > 0) {
    await condition(() => pollNow, input.firstPollMs, {
      summary: toSummary(`Accepted: ${describeMoney(input)}; ${first}`),
    });
  }
  while (!status.terminal) {
    pollNow = false;
    show(`The job is ${status.state}: ${describeMoney(input)}.`, 'polls with backoff');
    const known = status.state;
    // Null when a signal requests an immediate poll: the wait is dropped and starts again.
    const change = await showWaits(
      (waits) =>
        raceWithSignal(
          () =>
            followSubmission.executeWithOptions({ summary: toSummary(`Follow ${input.reference}`) }, [
              { ...input, known, ...waits },
            ]),
          () => pollNow,
        ),
      {
        fromMs: input.showsPolls ? 0 : null,
        label: `OPEN, ${describeMoney(input)}`,
        stop,
        onWait: ({ why, next }) => show(`${why}: ${describeMoney(input)}.`, next),
      },
    );
    if (change !== null) {
      status = change;
      showPhase(status.state, `The job is ${status.state}: ${describeMoney(input)}.`);
      if (status.overdue) {
        show('OVERDUE: the job did not end within the tracking timeout.', 'ask the service about this job');
        throw withoutStack(
          ApplicationFailure.nonRetryable(
            `Job ${input.reference} is still ${status.state} after the tracking timeout. Its ${urls(input.urls)} stay ` +
              `submitted and are not bought again. Ask the service about the job, then run "courier batches resolve ${input.batch}" ` +
              'with --release or --leave.',
            FAILURE_TYPE.submissionOverdue,
          ),
        );
      }
    }
    if (!status.terminal && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof trackSubmission>({ ...input, firstPollMs: 0 });
    }
  }
  const failed = status.failed > 0 ? `, ${count(status.failed)} failed` : '';
  const summary = `The job is ${status.state}: ${urls(status.completed)} completed${failed}.`;
  show(summary, 'nothing; its URLs are index-checked where the watch asks for it');
  return { summary, ...status };
}

/** "40 URLs, 10.00 TRY charged". */
const describeMoney = ({ urls: submitted, charged }: TrackInput): string =>
  `${urls(submitted)}${charged === null ? '' : `, ${money(charged)} charged`}`;
