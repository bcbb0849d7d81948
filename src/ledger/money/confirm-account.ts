import type { Micros } from '../../../contract/money.ts';
import { SERVICE_LEVELS, type ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { endStops, recordStop } from '../accounts/stops.ts';
import { lockAccount } from '../accounts/watches.ts';
import { estimateUnknown } from '../journal/prices.ts';
import type { Ledger } from '../open-ledger.ts';
import { getPrice } from './price.ts';
import { writePrice } from './price-change.ts';

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
    const other = await findRecordedOther(tx, account, identity);
    if (other !== null && identity !== null) {
      const reason = { code: 'other_account', account, recorded: other, shown: identity } as const;
      await recordStop(tx, account, { kind: 'identity', at: ledger.now(), reason });
      return { kind: 'other', recorded: other, shown: identity };
    }
    // The service has answered a request with this key.
    await endStops(tx, account, 'key', 'identity');
    if (identity !== null && (await getSetting(tx, settingName(account))) !== identity)
      await setSetting(tx, settingName(account), identity);
    for (const level of SERVICE_LEVELS) await recordShownPrice(tx, account, level, shown.prices[level], ledger.now());
    return { kind: 'same' };
  });
}

/** The identity that the ledger knows of the account, when the one that its service shows is another; writes nothing. */
export async function findRecordedOther(
  db: Queryable,
  account: AccountId,
  identity: string | null,
): Promise<string | null> {
  const recorded = await getSetting(db, settingName(account));
  return recorded !== null && identity !== null && isOther(recorded, identity) ? recorded : null;
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

async function getSetting(db: Queryable, name: string): Promise<string | null> {
  const row = await db.get(sql<{ value: string }>`SELECT value FROM ledger_settings WHERE name = ${name}`);
  return row?.value ?? null;
}

async function setSetting(tx: Queryable, name: string, value: string): Promise<void> {
  await tx.run(sql`
    INSERT INTO ledger_settings (name, value) VALUES (${name}, ${value})
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
  await writePrice(tx, account, { service: level, price, at: now }, sql`prices.price < excluded.price`);
  const { perUrl } = await getPrice(tx, account, level, null);
  if (perUrl !== null) await estimateUnknown(tx, account, level, perUrl);
}
