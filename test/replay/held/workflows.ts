import { proxyActivities } from '@temporalio/workflow';
import type { GuardHold, RunCounts } from '../../../src/temporal-api/payloads.ts';
import type { DecisionSource } from '../../../workflows/hold.ts';
import { acceptDecision } from '../../../workflows/hold.ts';

const { ask } = proxyActivities<{ ask: DecisionSource['ask'] }>({ startToCloseTimeout: '1 minute' });

/** The wait of a held run, with reminders that come soon. */
export async function heldRun({ hold, counts }: { hold: GuardHold; counts: RunCounts }): Promise<string> {
  const decided = acceptDecision({ ask, remindMs: 50 });
  decided.hold();
  return `${await decided.wait(hold, counts, true)} by ${decided.by()}`;
}
