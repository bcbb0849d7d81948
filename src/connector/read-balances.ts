import type { Deps } from '../../activities/deps.ts';
import { ApiError, ServiceUnavailableError, unwrapData } from '../api-client/errors.ts';
import { SecretMissingError } from '../config/secrets.ts';
import { recordBalance } from '../ledger/money/balance.ts';
import { recordContact } from '../ledger/notices/contact.ts';
import { RateLimitedError } from '../rate-limit/limiter.ts';

/**
 * Reads the balance of each account, one free request each, and records whether the service responds. What submissions
 * need comes first: without a free request the balance is read the next time.
 */
export async function readBalances({ config, ledger, getApi, now }: Deps): Promise<void> {
  const errors: unknown[] = [];
  for (const { id } of config.accounts.values()) {
    const at = now();
    try {
      const { balance } = unwrapData(await getApi(id).request('poll', (client) => client.balance()));
      await recordBalance(ledger, id, balance, at);
      await recordContact(ledger, id, null);
    } catch (error) {
      if (error instanceof ServiceUnavailableError) await recordContact(ledger, id, error.message);
      // A refusal is a response. The dispatcher reports a rejected key.
      else if (error instanceof ApiError) await recordContact(ledger, id, null);
      else if (!(error instanceof RateLimitedError || error instanceof SecretMissingError)) errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
