import type { WaitingMoney } from '../src/ledger/money/waiting-money.ts';
import { computeMissing } from '../src/ledger/money/waiting-money.ts';
import type { AccountPolicy } from '../src/ledger/policy.ts';
import { isMoneyReason, isWantOfMoney, type Reason, renderReason } from '../src/submission/reason.ts';
import { batches, money, urls, withoutStop } from '../src/temporal-api/sentences.ts';

/** What an account waits for, with the money: what is needed, what is there and what is missing. */
export function describeShortage(
  waiting: WaitingMoney,
  account: Pick<AccountPolicy, 'spend'>,
  reason: Reason | null = waiting.reason,
): string {
  const { balance, cost } = waiting;
  const isMoney =
    reason === null ||
    (isWantOfMoney(reason) && (isMoneyReason(reason.code) || reason.code === 'insufficient_balance'));
  const missing = isMoney ? computeMissing(waiting, account) : null;
  const what = `${batches(waiting.batches)} (${urls(waiting.urls)})`;
  if (missing !== null && missing > 0) {
    const { balanceFloor } = account.spend;
    const floor = balanceFloor > 0 ? ` above a floor of ${money(balanceFloor)}` : '';
    return `${money(missing)} missing: ${money(cost)} for ${what}, the balance is ${money(balance)}${floor}`;
  }
  const price = cost === null ? '' : `${money(cost)} for `;
  if (reason === null) return `${price}${what} waiting for the next attempt`;
  return `${price}${what} waiting: ${withoutStop(renderReason(reason))}`;
}
