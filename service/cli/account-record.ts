import { formatTry } from '../../contract/money.ts';
import { createAmountParser } from '../../src/cli-kit/arguments.ts';
import type { Output } from '../../src/cli-kit/output.ts';
import type { Account } from '../accounts/account.ts';
import { type AccountChange, toAccountRecord } from './records.ts';

/** Parses an option that is an amount of at least zero. */
export const amount = createAmountParser((value) => value >= 0, '0.25TRY');

/** An account as every command prints it. */
export function showAccount(output: Output, account: Account, change: AccountChange = {}): void {
  output.record(toAccountRecord({ ...account, ...change }));
  const { standard, fast } = account.prices;
  const status = account.status === 'active' ? '' : `, ${account.status} (${account.statusReason})`;
  output.print(
    `${account.name}: balance ${formatTry(account.balance)}, per URL ${formatTry(standard)} standard, ${formatTry(fast)} fast${status}`,
  );
}
