import { type Config, requireAccount } from '../config/config.ts';
import { resumeFunded } from '../ledger/batches/funds.ts';
import { getAccountStatus } from '../ledger/money/account-status.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { AccountId } from '../submission/ids.ts';
import { WAITS_FOR_MONEY } from '../submission/reason.ts';
import { refreshAccountSoon } from './refresh-account.ts';

/**
 * Reads the balance of each account that waits for money, before a run begins: what the ledger knows of it was true before the
 * top-up. Batches that the balance covers now are sent at once, not when the wait of their last refusal ends.
 */
export async function readMoneyFirst(
  { config, ledger }: { readonly config: Config; readonly ledger: Ledger },
  accounts: Iterable<AccountId>,
): Promise<void> {
  for (const id of new Set(accounts)) {
    const { suspended } = await getAccountStatus(ledger, id);
    if (!WAITS_FOR_MONEY.some((code) => code === suspended?.code)) continue;
    await refreshAccountSoon({ config, ledger }, id);
    await resumeFunded(ledger, requireAccount(config, id), (watch) => config.watches.get(watch));
  }
}
