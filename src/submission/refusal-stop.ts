/** This many batches refused alike, in a row and with none accepted: neither the batches nor their URLs are the cause. */
const BATCHES_BEFORE_STOP = 3;
const FIRST_WAIT_MS = 15 * 60_000;
const LONGEST_WAIT_MS = 6 * 3_600_000;

export const isRefusalOfAll = (refusals: number): boolean => refusals >= BATCHES_BEFORE_STOP;

/** How long an account waits after that many refusals before it tries one batch: twice as long after each. */
export const computeRefusalWait = (refusals: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, refusals - BATCHES_BEFORE_STOP), LONGEST_WAIT_MS);
