import { HistoryComparison } from '../../activities/compare-history.ts';
import { ApiError } from '../api-client/errors.ts';
import { type Config, requireAccount } from '../config/config.ts';
import { SecretMissingError } from '../config/secrets.ts';
import { getHistoryHold } from '../ledger/accounts/stops.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import { describeHistoryHold, needsRecovery } from '../submission/history-hold.ts';
import type { AccountId } from '../submission/ids.ts';
import { withService } from './service-client.ts';

/** What the rate limit allows at once. A preview does not wait for more. */
const MOST_REQUESTS = 100;

const describeUnfinished = (read: number): string =>
  `not all jobs that the service lists are compared with this ledger yet (${read} were read now): one of the others may be ` +
  'ours, and its URLs bought already. A run reads on before it buys anything; no job of others is read twice';

/**
 * Why a run would spend nothing on an account, found out before it is asked to: the ledger already holds it, or the
 * service has jobs of ours that the ledger does not know. Null when neither is so, or when the service does not say.
 */
export async function findSpendingHold(
  config: Config,
  ledger: Ledger,
  id: AccountId,
  signal: AbortSignal,
): Promise<string | null> {
  const known = await getHistoryHold(ledger.db, id);
  if (known !== null && needsRecovery(known)) return describeHistoryHold(id, known);
  const projects = [...config.watches.values()].flatMap(({ account, project }) => (account === id ? [project] : []));
  return withService({ config, ledger }, requireAccount(config, id), signal, async ({ request: send }) => {
    try {
      const scope = { ledger, account: id, projects, send };
      const compared = await new HistoryComparison(scope).readOn(scope, MOST_REQUESTS);
      if (compared.kind === 'unfinished') return describeUnfinished(compared.read);
      return compared.kind === 'held' ? describeHistoryHold(id, compared.hold) : null;
    } catch (error) {
      if (error instanceof ApiError || error instanceof SecretMissingError)
        return known === null ? null : describeHistoryHold(id, known);
      throw error;
    }
  });
}
