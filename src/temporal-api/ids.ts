import { createHash } from 'node:crypto';
import type { AccountId, IdempotencyKey, LedgerId, Reference, WatchId } from '../submission/ids.ts';

/*
 * What the work of a ledger is called on a Temporal server. Every name carries the ledger's id, so that any number of
 * ledgers may share a namespace: none sees the tasks, workflows or schedules of another. Names of watches and accounts are
 * at most 63 characters of ASCII, so only a reference, which the service chose, can make an id too long.
 */

export const getTaskQueue = (ledger: LedgerId): string => `courier/${ledger}`;

/** `watch/<ledger>/<watch>/<run>`: also the run's name in the ledger, because it survives a workflow reset (the run id does not). */
export const watchWorkflowId = (ledger: LedgerId, watch: WatchId, run: string): string =>
  `${watchScheduleId(ledger, watch)}/${run}`;
export const watchScheduleId = (ledger: LedgerId, watch: WatchId): string => `watch/${ledger}/${watch}`;
export const dispatcherWorkflowId = (ledger: LedgerId, account: AccountId): string => `account/${ledger}/${account}`;
/** In bytes of UTF-8. Temporal accepts 1,000, but its SQL databases store an id in 255 characters. */
const LONGEST_ID = 250;

/**
 * By the key of the submission; a recovered job has none in this ledger and goes by its reference. A reference that is
 * too long is replaced by its digest: the search attribute CourierReference finds the tracker all the same.
 */
export function trackerWorkflowId(ledger: LedgerId, job: IdempotencyKey | Reference): string {
  const id = `submission/${ledger}/${job}`;
  if (Buffer.byteLength(id) <= LONGEST_ID) return id;
  return `submission/${ledger}/sha256-${createHash('sha256').update(job, 'utf8').digest('hex')}`;
}
export const checkWorkflowId = (ledger: LedgerId, watch: WatchId, run: string): string =>
  `${checkScheduleId(ledger, watch)}/${run}`;
/** Whether a schedule belongs to a ledger. */
export const isScheduleOf = (ledger: LedgerId, id: string): boolean =>
  id.startsWith(`watch/${ledger}/`) || id.startsWith(`index-check/${ledger}/`);
export const checkScheduleId = (ledger: LedgerId, watch: WatchId): string => `index-check/${ledger}/${watch}`;
