import { formatTry, type Micros } from '../../contract/money.ts';
import { isBeyondCap } from './caps.ts';
import { isSpendReason, type Reason, type SpendReason } from './reason.ts';

/** What the planner would buy of what is due, at the prices and the balance known then. */
export interface Forecast {
  /** All that is due, also what earlier runs found. */
  readonly urls: number;
  /** The cost of all of them. Null when no price is known. */
  readonly cost: Micros | null;
  /** How many of them the caps, the floor and the balance allow now; the others follow in later runs. */
  readonly allowed: number;
}

const formatCount = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** What an approval is asked for: "101 URLs, 25.25 TRY; 40 of them fit the caps and the balance now". */
export function describeForecast({ urls, cost, allowed }: Forecast): string {
  if (urls === 0) return 'nothing to buy';
  const price = cost === null ? 'at a price that is not known yet' : formatTry(cost);
  const what = `${urls === 1 ? '1 URL' : `${formatCount(urls)} URLs`}, ${price}`;
  if (allowed >= urls) return what;
  const fit = allowed === 0 ? 'none of them fits' : `${formatCount(allowed)} of them ${allowed === 1 ? 'fits' : 'fit'}`;
  return `${what}; ${fit} the caps and the balance now`;
}

/** The reason of a run that no guard holds, only a cap, a price that is not known or the balance; null for every other. */
export const findMoneyReason = (reasons: readonly Reason[]): SpendReason | null =>
  reasons.every(isSpendReason) ? (reasons[0] ?? null) : null;

/** What ends a hold without a decision; null where only a decision ends it. */
export function describeRemedy(reasons: readonly Reason[]): string | null {
  const reason = findMoneyReason(reasons);
  switch (reason?.code) {
    case undefined:
    case 'beyond_decision':
      return null;
    case 'cap_reached':
      return isBeyondCap({ reason })
        ? 'Raise the cap, and it goes on by itself. Approved, it buys what fits now, and later runs buy the rest'
        : `Raise the cap, or wait for the next ${reason.period} (UTC), and it goes on by itself`;
    case 'price_unknown':
      return 'Set price_per_url of the account, and it goes on by itself';
    case 'balance_unknown':
      return 'It goes on by itself once the service shows the balance';
    case 'balance_short':
    case 'floor_short':
    case 'balance_negative':
      return 'Top up, and it goes on by itself';
  }
}
