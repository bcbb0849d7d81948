import type { Client } from '@temporalio/client';
import type { AccountId, LedgerId } from '../submission/ids.ts';
import { dispatcherWorkflowId, getTaskQueue } from './ids.ts';
import { wakeSignal } from './messages.ts';
import { NOT_BEGUN, SEARCH_ATTRIBUTES } from './search-attributes.ts';
import { describeDispatcher } from './static-details.ts';
import { type DispatchAccount, WORKFLOW } from './workflows.ts';

/** Signals an account's dispatcher that batches are planned; starts it when it does not run. */
export async function wakeDispatcher(client: Client, ledger: LedgerId, account: AccountId): Promise<void> {
  await client.workflow.signalWithStart<DispatchAccount, []>(WORKFLOW.dispatchAccount, {
    ...toOptions(ledger, account),
    signal: wakeSignal,
  });
}

/** Starts an account's dispatcher when it does not run. One that runs is not woken: it may wait for money. */
export async function ensureDispatcher(client: Client, ledger: LedgerId, account: AccountId): Promise<void> {
  await client.workflow.start<DispatchAccount>(WORKFLOW.dispatchAccount, {
    ...toOptions(ledger, account),
    workflowIdConflictPolicy: 'USE_EXISTING',
  });
}

function toOptions(ledger: LedgerId, account: AccountId) {
  return {
    workflowId: dispatcherWorkflowId(ledger, account),
    taskQueue: getTaskQueue(ledger),
    args: [{ account }] as [{ account: AccountId }],
    staticSummary: `Sends the planned batches of account ${account}`,
    staticDetails: describeDispatcher(account),
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.ledger, value: ledger },
      { key: SEARCH_ATTRIBUTES.account, value: account },
      { key: SEARCH_ATTRIBUTES.summary, value: NOT_BEGUN },
    ],
  };
}
