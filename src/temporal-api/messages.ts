import { defineSignal, defineUpdate } from '@temporalio/workflow';

/** Wakes a dispatcher: batches were planned, the balance was topped up, or the key works again. The ledger says what to do. */
export const wakeSignal = defineSignal('wake');

/** Polls a job now instead of at its next scheduled poll. */
export const pollNowSignal = defineSignal('pollNow');

export interface Decision {
  /** Who decided, as the ledger and the Web UI show it. */
  readonly by: string;
  readonly note?: string;
}

/** Continues a held run: the URLs that it found are planned and bought. */
export const approveUpdate = defineUpdate<string, [Decision]>('approve');

/** Ends a held run: nothing of it is bought. Its URLs stay new, and the next run finds them again. */
export const rejectUpdate = defineUpdate<string, [Decision]>('reject');
