import type { Client } from '@temporalio/client';
import type { AccountId } from '../src/submission/ids.ts';
import { dispatcherWorkflowId } from '../workflows/ids.ts';
import type { dispatchAccount } from '../workflows/index.ts';
import { wakeSignal } from '../workflows/messages.ts';
import { SEARCH_ATTRIBUTES } from '../workflows/search-attributes.ts';

/** Tells an account's dispatcher that something is planned; starts it when it is not there. */
export async function wakeDispatcher(client: Client, taskQueue: string, account: AccountId): Promise<void> {
  await client.workflow.signalWithStart<typeof dispatchAccount, []>('dispatchAccount', {
    workflowId: dispatcherWorkflowId(account),
    taskQueue,
    args: [{ account }],
    signal: wakeSignal,
    staticSummary: `Sends the planned batches of account ${account}`,
    typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.account, value: account }],
  });
}
