import type { Micros } from '../../contract/money.ts';
import { ApiError } from '../api-client/errors.ts';
import { type Config, requireAccount } from '../config/config.ts';
import { SecretMissingError } from '../config/secrets.ts';
import { recordBalance } from '../ledger/money/balance.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { getAccountMoney } from '../ledger/reports/totals.ts';
import type { AccountId } from '../submission/ids.ts';
import { withService } from './service-client.ts';

/** The resources of an account: money at the service and requests left within its limits. */
export interface AccountResources {
  readonly account: AccountId;
  /** Null when the service has not reported one. */
  readonly balance: Micros | null;
  readonly balanceAt: number | null;
  /** The balance less what was charged since and what is committed already; null without a balance. */
  readonly left: Micros | null;
  readonly requestsLeft: Readonly<Record<'minute' | 'hour' | 'day' | 'submissions', number>>;
  /** Why the balance could not be read now; null when it was. */
  readonly failure: ApiError | SecretMissingError | null;
}

/** Reads the balance from the service (one request); on failure returns the last reported one. */
export async function getAccountResources(
  config: Config,
  ledger: Ledger,
  id: AccountId,
  signal: AbortSignal,
): Promise<AccountResources> {
  const account = requireAccount(config, id);
  return withService({ config, ledger }, account, signal, async ({ request: send, limiter }) => {
    let failure: AccountResources['failure'] = null;
    try {
      await recordBalance(ledger, id, (await send((client) => client.balance())).balance);
    } catch (error) {
      if (!(error instanceof ApiError || error instanceof SecretMissingError)) throw error;
      failure = error;
    }
    const { balance, balanceAt, left } = await getAccountMoney(ledger, id, account.pricePerUrl);
    return {
      ...{ account: id, balance, balanceAt, left },
      requestsLeft: await limiter.getRemaining(),
      failure,
    };
  });
}
