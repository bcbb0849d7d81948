import { decimalTry, formatTry } from '../../contract/money.ts';
import type { Account } from '../accounts/account.ts';
import type { Output } from './output.ts';

/** An account as every command prints it. */
export function showAccount(output: Output, account: Account, more: Record<string, unknown> = {}): void {
  output.record({
    type: 'account',
    id: account.publicId,
    name: account.name,
    status: account.status,
    status_reason: account.statusReason,
    balance: decimalTry(account.balance),
    price: decimalTry(account.prices.standard),
    price_fast: decimalTry(account.prices.fast),
    currency: 'TRY',
    ...more,
  });
  const { standard, fast } = account.prices;
  const status = account.status === 'active' ? '' : `, ${account.status} (${account.statusReason})`;
  output.print(
    `${account.name}: balance ${formatTry(account.balance)}, per URL ${formatTry(standard)} standard, ${formatTry(fast)} fast${status}`,
  );
}
