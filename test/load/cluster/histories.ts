import type { Client } from '@temporalio/client';

/** What the executions of a workflow type left at the Temporal server. */
export interface HistoryFigures {
  readonly type: string;
  readonly executions: number;
  readonly events: number;
  readonly bytes: number;
  /** What Temporal Cloud would bill for an execution, but for heartbeats; the mean of those read. */
  readonly actions: number;
}

/** Executions of a type whose histories are read; of the others the list knows the size. */
const READ = 40;

/** By type. */
export async function listHistories(client: Client): Promise<HistoryFigures[]> {
  const figures = new Map<
    string,
    { executions: number; events: number; bytes: number; read: number; actions: number }
  >();
  for await (const { type, historyLength, historySize, workflowId, runId } of client.workflow.list()) {
    const sum = figures.get(type) ?? { executions: 0, events: 0, bytes: 0, read: 0, actions: 0 };
    sum.executions++;
    sum.events += historyLength;
    sum.bytes += historySize ?? 0;
    if (sum.read < READ) {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      sum.read++;
      sum.actions += countActions(events ?? []);
    }
    figures.set(type, sum);
  }
  return [...figures].map(([type, { read, actions, ...sum }]) => ({ type, ...sum, actions: actions / read }));
}

/** temporal.api.enums.v1.EventType */
const EVENT = { started: 1, activityStarted: 12, timerStarted: 17, signaled: 26, attributesUpserted: 40 };
/** Set with the marker of a patch, and not billed. */
const CHANGE_VERSION = 'TemporalChangeVersion';

interface BilledEvent {
  readonly eventType?: number | null;
  readonly activityTaskStartedEventAttributes?: { readonly attempt?: number | null } | null;
  readonly upsertWorkflowSearchAttributesEventAttributes?: {
    readonly searchAttributes?: { readonly indexedFields?: Readonly<Record<string, unknown>> | null } | null;
  } | null;
}

/** The start, each attempt of an activity, timers, signals, and changes of search attributes. */
export function countActions(events: readonly BilledEvent[]): number {
  let actions = 0;
  for (const event of events) {
    if (event.eventType === EVENT.activityStarted) actions += event.activityTaskStartedEventAttributes?.attempt ?? 1;
    if (
      event.eventType === EVENT.started ||
      event.eventType === EVENT.timerStarted ||
      event.eventType === EVENT.signaled
    )
      actions++;
    if (event.eventType !== EVENT.attributesUpserted) continue;
    const fields = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields ?? {};
    if (Object.keys(fields).some((name) => name !== CHANGE_VERSION)) actions++;
  }
  return actions;
}
