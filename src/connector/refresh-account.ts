import { type Config, requireAccount } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { AccountId } from '../submission/ids.ts';
import { getAccountResources } from './account-resources.ts';
import { confirmShown } from './confirm-account.ts';
import { withService } from './service-client.ts';

/**
 * Confirms that the key of an account is the account's, and records its prices: one request, made once for all watches. Throws an
 * OperationError (other_account) when it is another account's.
 */
export async function confirmKey(
  { config, ledger }: { readonly config: Config; readonly ledger: Ledger },
  id: AccountId,
  signal: AbortSignal,
): Promise<void> {
  const account = requireAccount(config, id);
  await withService({ config, ledger }, account, signal, ({ request: send }) => confirmShown(ledger, account, send));
}

/**
 * Reads the prices and the balance of an account, as a decision over money needs them: two free requests. A service that does
 * not answer leaves what the ledger knows. Throws an OperationError (other_account) when the key is another account's.
 */
export async function refreshAccount(
  { config, ledger }: { readonly config: Config; readonly ledger: Ledger },
  id: AccountId,
  signal: AbortSignal,
): Promise<void> {
  await confirmKey({ config, ledger }, id, signal);
  await getAccountResources(config, ledger, id, signal);
}

/** A service that does not answer, or a rate limit, must not keep a command from saying what the ledger knows. */
const SOON_MS = 30_000;

/** The same, for at most half a minute. */
export async function refreshAccountSoon(
  context: { readonly config: Config; readonly ledger: Ledger },
  id: AccountId,
): Promise<void> {
  const signal = AbortSignal.timeout(SOON_MS);
  await refreshAccount(context, id, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
