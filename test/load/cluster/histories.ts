import type { Client } from '@temporalio/client';

/** What the executions of a workflow type left at the Temporal server. */
export interface HistoryFigures {
  readonly type: string;
  readonly executions: number;
  readonly events: number;
  readonly bytes: number;
}

/** By type, as the list of workflows says: the histories themselves are not read. */
export async function listHistories(client: Client): Promise<HistoryFigures[]> {
  const figures = new Map<string, { type: string; executions: number; events: number; bytes: number }>();
  for await (const { type, historyLength, historySize } of client.workflow.list()) {
    const sum = figures.get(type) ?? { type, executions: 0, events: 0, bytes: 0 };
    sum.executions++;
    sum.events += historyLength;
    sum.bytes += historySize ?? 0;
    figures.set(type, sum);
  }
  return [...figures.values()];
}
