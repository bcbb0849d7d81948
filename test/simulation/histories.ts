import type { Client } from '@temporalio/client';
import { countActions } from '../support/count-actions.ts';

export interface HistorySize {
  readonly workflowId: string;
  readonly type: string;
  readonly events: number;
  readonly bytes: number;
  readonly largestPayload: number;
  /** That Temporal Cloud would bill. */
  readonly actions: number;
}

/** What the connector's workflows have left behind, one line for each execution, of at most so many trackers. */
export async function getHistorySizes(client: Client, mostTrackers = Number.POSITIVE_INFINITY): Promise<HistorySize[]> {
  const sizes: HistorySize[] = [];
  const types = ['watchSitemap', 'dispatchAccount', 'trackSubmission', 'checkIndex'];
  const query = types.map((type) => `WorkflowType = '${type}'`).join(' OR ');
  let trackers = 0;
  for await (const { workflowId, runId, type } of client.workflow.list({ query })) {
    if (type === 'trackSubmission' && ++trackers > mostTrackers) continue;
    const handle = client.workflow.getHandle(workflowId, runId);
    const { historySize } = await handle.describe();
    const { events } = await handle.fetchHistory();
    const largestPayload = largestOf(events ?? []);
    const actions = countActions(events ?? []);
    sizes.push({ workflowId, type, events: events?.length ?? 0, bytes: historySize ?? 0, largestPayload, actions });
  }
  return sizes;
}

/** Of every bytes field anywhere in the events: payloads are the only large ones. */
function largestOf(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((most, each) => Math.max(most, largestOf(each)), 0);
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
