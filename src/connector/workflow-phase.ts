import type { WorkflowExecutionDescription } from '@temporalio/client';
import { DISPATCH_PHASE, WATCH_PHASE } from '../temporal-api/phases.ts';
import { SEARCH_ATTRIBUTES } from '../temporal-api/search-attributes.ts';

/** The phase in which a workflow waits for an activity. */
const PHASE_OF_ACTIVITY: Readonly<Record<string, string>> = {
  crawlWatch: WATCH_PHASE.crawling,
  diffRun: WATCH_PHASE.comparing,
  judgeRun: WATCH_PHASE.comparing,
  planRun: WATCH_PHASE.planning,
  awaitRun: WATCH_PHASE.submitting,
  sendNextBatch: DISPATCH_PHASE.sending,
  awaitMoney: DISPATCH_PHASE.suspended,
  awaitKey: DISPATCH_PHASE.keyRejected,
};

/** The phase of a workflow: as it shows it, else from what it waits for. Null when neither tells. */
export function getPhase({
  typedSearchAttributes,
  raw,
}: Pick<WorkflowExecutionDescription, 'typedSearchAttributes' | 'raw'>): string | null {
  const shown = typedSearchAttributes.get(SEARCH_ATTRIBUTES.phase);
  if (shown !== undefined) return shown;
  for (const { activityType } of raw.pendingActivities ?? []) {
    const phase = PHASE_OF_ACTIVITY[activityType?.name ?? ''];
    if (phase !== undefined) return phase;
  }
  return null;
}
