import { formatTry } from '../../../contract/money.ts';
import type { RunSummary } from '../../ledger/reports/run-summary.ts';

/** What a run was charged: what nobody told is not shown as 0.00. */
export function chargeText({ charged, unknownChargeUrls }: Pick<RunSummary, 'charged' | 'unknownChargeUrls'>): string {
  if (unknownChargeUrls === 0) return formatTry(charged);
  const unknown = `an unknown charge for ${unknownChargeUrls} URLs`;
  return charged === 0 ? unknown : `${formatTry(charged)} and ${unknown}`;
}
