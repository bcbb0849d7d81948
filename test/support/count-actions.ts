import type { temporal } from '@temporalio/proto';

type Event = temporal.api.history.v1.IHistoryEvent;

/**
 * The actions that Temporal Cloud bills for a history (docs/guides/temporal-cloud.md): starts, attempts of activities, timers,
 * signals, updates, changes of search attributes, and the markers of a workflow task. What no history holds is missing:
 * heartbeats, queries, the two actions of a schedule, and attempts of an activity that was cancelled between them.
 */
export function countActions(events: readonly Event[]): number {
  let actions = 0;
  let markedTask: unknown = null;
  for (const [at, event] of events.entries()) {
    if (event.workflowExecutionStartedEventAttributes != null) actions += 1;
    // A signal with start is one action.
    if (event.workflowExecutionSignaledEventAttributes != null && at !== 1) actions += 1;
    // Retries are not events: the attempt that ended the activity has their number.
    actions += event.activityTaskStartedEventAttributes?.attempt ?? 0;
    if (event.timerStartedEventAttributes != null) actions += 1;
    if (event.workflowExecutionUpdateAcceptedEventAttributes != null) actions += 1;
    const attributes = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields;
    if (Object.keys(attributes ?? {}).some((name) => name !== 'TemporalChangeVersion')) actions += 1;
    const marker = event.markerRecordedEventAttributes;
    if (marker != null) {
      const task = String(marker.workflowTaskCompletedEventId);
      if (task !== markedTask) actions += 1;
      markedTask = task;
    }
  }
  return actions;
}
