import type { AccountId, IdempotencyKey, WatchId } from '../submission/ids.ts';

/** Where every workflow and activity of the connector runs. */
export const TASK_QUEUE = 'courier';

/** `watch/<watch>/<run>`: also the run's name in the ledger, because it survives a workflow reset (the run id does not). */
export const watchWorkflowId = (watch: WatchId, run: string): string => `watch/${watch}/${run}`;
export const watchScheduleId = (watch: WatchId): string => `watch/${watch}`;
export const dispatcherWorkflowId = (account: AccountId): string => `account/${account}`;
export const trackerWorkflowId = (key: IdempotencyKey): string => `submission/${key}`;
export const checkWorkflowId = (watch: WatchId, run: string): string => `index-check/${watch}/${run}`;
export const checkScheduleId = (watch: WatchId): string => `index-check/${watch}`;
