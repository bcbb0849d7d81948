import type { Micros } from '../../../contract/money.ts';
import { SERVICE_LEVELS, type ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { lockAccount } from '../accounts/watches.ts';
import { estimateUnknown } from '../journal/prices.ts';
import type { Ledger } from '../open-ledger.ts';
import { endKeyRejection } from './account-status.ts';
import { getPrice } from './price.ts';

/** The account that a key belongs to, as the service reports it. */
export interface AccountShown {
  /** `field=value`; null where the service does not show it. */
  readonly identity: string | null;
  readonly prices: Readonly<Record<ServiceLevel, Micros | null>>;
}

export type Confirmed =
  | { readonly kind: 'same' }
  /** The key belongs to another account than the one that the ledger's batches and charges belong to. */
  | { readonly kind: 'other'; readonly recorded: string; readonly shown: string };

const settingName = (account: AccountId): string => `account_identity/${account}`;

/**
 * Compares the account that a key belongs to with the one that the ledger knows, and records it at first contact. An
 * account that is the same has its prices recorded: where none is known, or a higher one is shown than known. Charges that
 * were not reported, from before any price was known, count at that price.
 */
export async function confirmAccount(ledger: Ledger, account: AccountId, shown: AccountShown): Promise<Confirmed> {
  return ledger.db.tx(async (tx): Promise<Confirmed> => {
    await lockAccount(tx, account);
    const { identity } = shown;
    const recorded = await getIdentity(tx, account);
    if (recorded !== null && identity !== null && isOther(recorded, identity)) {
      return { kind: 'other', recorded, shown: identity };
    }
    // The service has answered a request with this key.
    await endKeyRejection(tx, account);
    if (identity !== null && recorded !== identity) await setIdentity(tx, account, identity);
    for (const level of SERVICE_LEVELS) await recordShownPrice(tx, account, level, shown.prices[level], ledger.now());
    return { kind: 'same' };
  });
}

/** Forgets the recorded identity: the next one that the service reports is recorded. */
export async function forgetIdentity(tx: Queryable, account: AccountId): Promise<void> {
  await tx.run(sql`DELETE FROM ledger_settings WHERE name = ${settingName(account)}`);
}

/** Identities are compared by the same field only: a service may start to report another one. */
function isOther(recorded: string, shown: string): boolean {
  const field = (identity: string) => identity.slice(0, identity.indexOf('='));
  return field(recorded) === field(shown) && recorded !== shown;
}

async function getIdentity(tx: Queryable, account: AccountId): Promise<string | null> {
  const row = await tx.get(sql<{ value: string }>`
    SELECT value FROM ledger_settings WHERE name = ${settingName(account)}`);
  return row?.value ?? null;
}

async function setIdentity(tx: Queryable, account: AccountId, identity: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO ledger_settings (name, value) VALUES (${settingName(account)}, ${identity})
    ON CONFLICT (name) DO UPDATE SET value = excluded.value`);
}

/** A price that was charged is not lowered by one that is shown: it may have been misread, and caps rest on it. */
async function recordShownPrice(
  tx: Queryable,
  account: AccountId,
  level: ServiceLevel,
  price: Micros | null,
  now: number,
): Promise<void> {
  if (price === null || price <= 0) return;
  await tx.run(sql`
    INSERT INTO prices (account_id, service, price, learned_at) VALUES (${account}, ${level}, ${price}, ${now})
    ON CONFLICT (account_id, service) DO UPDATE SET price = excluded.price, learned_at = excluded.learned_at
      WHERE prices.price < excluded.price`);
  const { perUrl } = await getPrice(tx, account, level, null);
  if (perUrl !== null) await estimateUnknown(tx, account, level, perUrl);
}
