import type { Queryable } from '../../database/database.ts';
import type { Reason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';
import { findOtherService } from './account.ts';
import { type AccountStatus, getAccountStatus } from './account-status.ts';
import { findOtherIdentity } from './confirm-account.ts';

type Configured = Pick<AccountPolicy, 'id' | 'baseUrl'>;

/**
 * Why an account sends nothing, as it is configured now. Another service or another account of it comes first: until the
 * configuration is corrected, nothing else of the account can be tried.
 */
export async function getStatusAsConfigured(ledger: Ledger, account: Configured): Promise<AccountStatus> {
  const status = await getAccountStatus(ledger, account.id);
  const other = await findOtherAccount(ledger.db, account);
  return other === null ? status : { ...status, suspended: other };
}

/** That the configured account is not the one that the ledger's jobs and charges belong to. Writes nothing. */
export async function findOtherAccount(db: Queryable, { id: account, baseUrl }: Configured): Promise<Reason | null> {
  const recorded = await findOtherService(db, { id: account, baseUrl });
  if (recorded !== null) return { code: 'other_service', account, recorded, configured: baseUrl };
  const other = await findOtherIdentity(db, account);
  return other === null ? null : { code: 'other_account', account, ...other };
}
