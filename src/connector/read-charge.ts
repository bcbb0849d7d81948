import type { Micros } from '../../contract/money.ts';
import { ApiError } from '../api-client/errors.ts';
import type { Config } from '../config/config.ts';
import { SecretMissingError } from '../config/secrets.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { AccountId, Reference } from '../submission/ids.ts';
import { withService } from './service-client.ts';

/** What the service shows of a job's cost (spec 4.7). `why`: it cannot be asked, or does not answer; null when it does. */
export interface ChargeRead {
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  readonly why: string | null;
}

/** Reads what a job cost that an operator names. Never throws for the service: the operator knows that it was charged. */
export async function readCharge(
  config: Config,
  ledger: Ledger,
  id: AccountId,
  reference: Reference,
  signal: AbortSignal,
): Promise<ChargeRead> {
  const nothing = { charged: null, pricePerUrl: null };
  const account = config.accounts.get(id);
  if (account === undefined) return { ...nothing, why: `account ${id} is not in the configuration` };
  try {
    const { submission } = await withService({ config, ledger }, account, signal, (service) =>
      service.request((client) => client.getSubmission(reference, { urlPage: 1, urlLimit: 1 })),
    );
    return { charged: submission?.charged ?? null, pricePerUrl: submission?.pricePerUrl ?? null, why: null };
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof SecretMissingError)) throw error;
    return { ...nothing, why: error.message };
  }
}
