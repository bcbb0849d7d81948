/** A UTC day in milliseconds. */
export const DAY_MS = 86_400_000;

/** Start of the day. Days and months are in UTC, for every account. */
export function getDayStart(now: number): number {
  return Math.floor(now / DAY_MS) * DAY_MS;
}

export function getMonthStart(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** What is known of when a purchase was charged. */
export interface ChargeTimes {
  /** When the service created the job, as its list says; null where it does not. */
  readonly createdAt: number | null;
  /** The first send that may have been charged; null without one. */
  readonly sentAt: number | null;
  readonly attempts: number;
  /** No attempt was made later; absent: the last one may have been made just now. */
  readonly lastSentAt?: number | undefined;
}

/**
 * The start of the day on which a charge counts: that of the job's creation, else that of its send. Where several attempts
 * may have been the one, it is that of the last: an earlier day would make room that the charge may have used.
 */
export function getChargeDay({ createdAt, sentAt, attempts, lastSentAt }: ChargeTimes, now: number): number {
  const earliest = sentAt ?? createdAt ?? now;
  const at = createdAt ?? (attempts <= 1 ? earliest : (lastSentAt ?? now));
  return getDayStart(Math.min(Math.max(at, earliest), now));
}
