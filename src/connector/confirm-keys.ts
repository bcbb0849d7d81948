import { ApiError } from '../api-client/errors.ts';
import { type Config, requireAccount } from '../config/config.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { AccountId } from '../submission/ids.ts';
import { confirmShown } from './confirm-account.ts';
import { withService } from './service-client.ts';

/** A rate limit would hold up the command for longer than the answer is worth. */
class NoPermitError extends Error {}

/**
 * Confirms accounts with one free request each, and returns the answer to those whose key the service rejects: a run that
 * has nothing to send would not notice. Throws an OperationError (other_account) for the key of another account. An
 * account that cannot be read now is neither.
 */
export async function confirmKeys(
  config: Config,
  ledger: Ledger,
  accounts: Iterable<AccountId>,
  signal: AbortSignal,
): Promise<ReadonlyMap<AccountId, ApiError>> {
  const rejected = new Map<AccountId, ApiError>();
  const refuseToWait = () => {
    throw new NoPermitError();
  };
  for (const id of new Set(accounts)) {
    const account = requireAccount(config, id);
    try {
      await withService({ config, ledger }, account, signal, (service) =>
        confirmShown(ledger, account, async (request) => {
          try {
            return await service.request(request, refuseToWait);
          } catch (error) {
            if (error instanceof ApiError && error.status === 401) rejected.set(id, error);
            throw error;
          }
        }),
      );
    } catch (error) {
      if (!(error instanceof NoPermitError)) throw error;
    }
  }
  return rejected;
}
