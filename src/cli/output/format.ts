import { formatTry, type Micros } from '../../../contract/money.ts';
import { formatCounted } from '../../submission/count.ts';
import { formatInstantIn } from '../../submission/instant.ts';

export { formatCount, formatCounted } from '../../submission/count.ts';

/** Shown for an unknown value: never 0, which is a value. */
export const NOT_KNOWN = 'not known yet';

/** "12.50 TRY", or that the amount is unknown. */
export const formatAmount = (amount: Micros | null): string => (amount === null ? NOT_KNOWN : formatTry(amount));

/** "45 s", "15 minutes". */
export const formatDuration = (ms: number): string =>
  ms < 120_000 ? `${Math.ceil(ms / 1_000)} s` : `${Math.round(ms / 60_000)} minutes`;

/** " (approved by ayşe: relaunch, 2026-01-31 04:30 Europe/Istanbul)"; empty without a decision. */
export function formatDecision(decision: string | null, by: string | null, at: number | null, zone: string): string {
  if (decision === null || by === null) return '';
  return ` (${decision} by ${by}${at === null ? '' : `, ${formatInstantIn(zone, at)}`})`;
}

/** What a run was charged. A charge that the service has not reported is not shown as 0.00. */
export function formatCharge({ charged, unknownChargeUrls }: { charged: Micros; unknownChargeUrls: number }): string {
  if (unknownChargeUrls === 0) return formatTry(charged);
  const unknown = `an unknown charge for ${formatCounted(unknownChargeUrls, 'URL')}`;
  return charged === 0 ? unknown : `${formatTry(charged)} and ${unknown}`;
}
