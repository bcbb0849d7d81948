import {
  ApplicationFailure,
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
import { FAILURE_TYPE } from '../src/temporal-api/failure-types.ts';
import { lookNowSignal } from '../src/temporal-api/messages.ts';
import type { JobStatus, TrackInput } from '../src/temporal-api/payloads.ts';
import { SEARCH_ATTRIBUTES } from '../src/temporal-api/search-attributes.ts';
import { span, table, urls } from './details.ts';

/**
 * A look that finds nothing new fails with a delay for its retry, so waiting seven days costs a handful of events and
 * the Web UI's pending activity tells when the next look is. What names no delay, such as a killed worker, is tried again
 * after an interval that does not grow: a hundred looks without news are no hundred failures.
 */
const looking = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '12 seconds',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 1 },
  priority: { priorityKey: 2 },
});

/** Follows one accepted job to its terminal state and records what became of its URLs. */
export async function trackSubmission(input: TrackInput): Promise<JobStatus> {
  let lookNow = false;
  setHandler(
    lookNowSignal,
    () => {
      lookNow = true;
    },
    { description: 'Look at the job now instead of at the next planned time.' },
  );
  let seen: JobStatus = { state: 'queued', terminal: false, completed: 0, failed: 0, overdue: false };
  const show = (next: string) => {
    const rows = {
      reference: input.reference,
      state: seen.state,
      next,
      urls: urls(input.urls),
      service: input.service,
    };
    setCurrentDetails(table(rows));
  };

  show(`first look in ${span(input.firstLookMs)}`);
  if (input.firstLookMs > 0) {
    await condition(() => lookNow, input.firstLookMs, { summary: `First look in ${span(input.firstLookMs)}` });
  }
  while (!seen.terminal) {
    lookNow = false;
    show('looks again on a growing interval');
    const look = await followUntilNews(seen.state);
    if (look === null) continue;
    seen = look;
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.phase, value: seen.state }]);
    if (seen.overdue) {
      show('ask the service about this job');
      throw ApplicationFailure.nonRetryable(
        `Job ${input.reference} is still ${seen.state} after the account's patience. Its ${urls(input.urls)} stay ` +
          'submitted and are not bought again. Ask the service, then reset this workflow.',
        FAILURE_TYPE.submissionOverdue,
      );
    }
    if (!seen.terminal && workflowInfo().continueAsNewSuggested) {
      await continueAsNew<typeof trackSubmission>({ ...input, firstLookMs: 0 });
    }
  }
  show(`ended: ${seen.completed} completed, ${seen.failed} failed`);
  return seen;

  /** Null when a signal asked for a look at once: the wait is dropped and begins anew. */
  async function followUntilNews(known: string): Promise<JobStatus | null> {
    let news: JobStatus | null = null;
    try {
      await CancellationScope.cancellable(async () => {
        const scope = CancellationScope.current();
        const follow = looking.followSubmission.executeWithOptions({ summary: `Follow ${input.reference}` }, [
          { ...input, known },
        ]);
        news = await Promise.race([follow, condition(() => lookNow).then(() => null)]);
        scope.cancel();
      });
    } catch (error) {
      if (!isCancellation(error) || CancellationScope.current().consideredCancelled) throw error;
    }
    return news;
  }
}
