import type { Client } from '@temporalio/client';
import type { AccountId } from '../submission/ids.ts';
import { dispatcherWorkflowId } from './ids.ts';
import { wakeSignal } from './messages.ts';
import { SEARCH_ATTRIBUTES } from './search-attributes.ts';
import { type DispatchAccount, WORKFLOW } from './workflows.ts';

/** Tells an account's dispatcher that something is planned; starts it when it is not there. */
export async function wakeDispatcher(client: Client, taskQueue: string, account: AccountId): Promise<void> {
  await client.workflow.signalWithStart<DispatchAccount, []>(WORKFLOW.dispatchAccount, {
    workflowId: dispatcherWorkflowId(account),
    taskQueue,
    args: [{ account }],
    signal: wakeSignal,
    staticSummary: `Sends the planned batches of account ${account}`,
    typedSearchAttributes: [{ key: SEARCH_ATTRIBUTES.account, value: account }],
  });
}
