import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { isSameBaseUrl } from '../../submission/freeze.ts';
import { toSentence } from '../../submission/reason.ts';
import { endStops } from '../accounts/stops.ts';
import { lockAccount } from '../accounts/watches.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';
import { forgetIdentity } from './confirm-account.ts';

/** The recorded service of an account's charges and jobs, when it differs from the configured one; else null. */
export async function findOtherService(
  tx: Queryable,
  { id, baseUrl }: Pick<AccountPolicy, 'id' | 'baseUrl'>,
): Promise<string | null> {
  const row = await tx.get(sql<{ base_url: string | null }>`SELECT base_url FROM ledger_accounts WHERE id = ${id}`);
  const recorded = row?.base_url ?? null;
  return recorded === null || isSameBaseUrl(recorded, baseUrl) ? null : recorded;
}

/** The service at this address has answered as one: the account belongs to it, unless it belongs to one already. */
export async function recordService(
  tx: Queryable,
  { id, baseUrl }: Pick<AccountPolicy, 'id' | 'baseUrl'>,
): Promise<void> {
  await tx.run(sql`UPDATE ledger_accounts SET base_url = ${baseUrl} WHERE id = ${id} AND base_url IS NULL`);
}

/** Throws OTHER_SERVICE when the configuration names another service than the one that the account belongs to. */
export async function requireSameService(tx: Queryable, account: Pick<AccountPolicy, 'id' | 'baseUrl'>): Promise<void> {
  const recorded = await findOtherService(tx, account);
  if (recorded === null) return;
  const { id, baseUrl: configured } = account;
  throw new LedgerError('OTHER_SERVICE', toSentence({ code: 'other_service', account: id, recorded, configured }));
}

/** An operator confirms that the account's service has a new address or id: it keeps its keys, jobs and money. */
export async function moveAccount(
  ledger: Ledger,
  { id, baseUrl }: Pick<AccountPolicy, 'id' | 'baseUrl'>,
): Promise<void> {
  await ledger.db.tx(async (tx) => {
    await lockAccount(tx, id);
    await tx.run(sql`UPDATE ledger_accounts SET base_url = ${baseUrl} WHERE id = ${id}`);
    await tx.run(sql`UPDATE batches SET base_url = ${baseUrl} WHERE account_id = ${id}`);
    await forgetIdentity(tx, id);
    await endStops(tx, id, 'identity', 'refusals');
  });
}
