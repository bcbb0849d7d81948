import { type Micros, maxMicros, micros, timesMicros, ZERO } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import type { NewPrice } from '../../submission/new-price.ts';
import { estimateUnknown } from '../journal/prices.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, PriceBasis, PriceByService } from '../policy.ts';
import { findNewPrice, type PriceEntry, writePrice } from './price-change.ts';

export interface Price {
  readonly perUrl: Micros | null;
  readonly basis: PriceBasis;
}

/**
 * The price of one URL at a service level, as far as it is known. Of a learned and a configured price the higher one
 * counts: a charge that was misread, or a discount that ends, must not let a plan through that breaks a cap.
 */
export async function getPrice(
  db: Queryable,
  account: AccountId,
  service: ServiceLevel,
  configured: Micros | null,
): Promise<Price> {
  const learned = await db.get(sql<{ price: Micros }>`
    SELECT price FROM prices WHERE account_id = ${account} AND service = ${service}`);
  return toPrice(learned?.price ?? null, configured);
}

/** `learned`: 0 where only the configured one is recorded. */
function toPrice(learned: Micros | null, configured: Micros | null): Price {
  if (learned !== null && learned > 0 && learned >= (configured ?? 0)) return { perUrl: learned, basis: 'learned' };
  return configured === null ? { perUrl: null, basis: 'unknown' } : { perUrl: configured, basis: 'configured' };
}

/** A price, and what it was where it has changed. */
export interface KnownPrice extends Price {
  readonly changed: NewPrice | null;
}

/** The same for both service levels, and whether it has changed. */
export async function listPrices(
  { db, now }: Pick<Ledger, 'db' | 'now'>,
  account: AccountId,
  configured: PriceByService,
): Promise<Readonly<Record<ServiceLevel, KnownPrice>>> {
  const rows = await db.all(sql<PriceEntry & { readonly kind: 'learned' | 'changed' }>`
    SELECT 'learned' AS kind, service, learned_at AS at, price FROM prices WHERE account_id = ${account}
    UNION ALL
    SELECT 'changed' AS kind, service, at, price FROM price_changes WHERE account_id = ${account}`);
  const changes = rows.filter(({ kind }) => kind === 'changed');
  const read = (level: ServiceLevel): KnownPrice => {
    const learned = rows.find(({ kind, service }) => kind === 'learned' && service === level);
    return {
      ...toPrice(learned?.price ?? null, configured[level]),
      changed: findNewPrice(changes, level, configured[level], now()),
    };
  };
  return { standard: read('standard'), fast: read('fast') };
}

/** The prices that have changed, while it is reported. */
export async function listNewPrices(
  ledger: Pick<Ledger, 'db' | 'now'>,
  account: AccountId,
  configured: PriceByService,
): Promise<NewPrice[]> {
  return Object.values(await listPrices(ledger, account, configured)).flatMap(({ changed }) => changed ?? []);
}

/** What a planned batch may cost now: a price that has risen since counts, one that has fallen may rise again. */
export async function computeCurrentCost(
  db: Queryable,
  batch: { readonly service: ServiceLevel; readonly urls: number; readonly expected_cost: Micros | null },
  account: Pick<AccountPolicy, 'id' | 'pricePerUrl'>,
): Promise<Micros | null> {
  const { perUrl } = await getPrice(db, account.id, batch.service, account.pricePerUrl[batch.service]);
  if (perUrl === null) return batch.expected_cost;
  return maxMicros(timesMicros(perUrl, batch.urls), batch.expected_cost ?? ZERO);
}

/**
 * Learns the price from a charge, as of when it was charged: an older charge never replaces the price of a newer one. A
 * price learned in the future, under a clock that was wrong, is replaced. A charge that is no whole amount per URL was rounded: its
 * price is rounded up. Unreported charges of this service level
 * from before any price was known count at this price.
 */
export async function learnPrice(tx: Queryable, { account, service, charge, urls, at, now }: Charged): Promise<void> {
  if (charge <= 0 || urls < 1) return;
  const price = micros(Math.ceil(charge / urls));
  const isNewer = sql`prices.learned_at <= excluded.learned_at OR prices.learned_at > ${now}`;
  await writePrice(tx, account, { service, price, at }, isNewer);
  await estimateUnknown(tx, account, service, price);
}

interface Charged {
  readonly account: AccountId;
  readonly service: ServiceLevel;
  readonly charge: Micros;
  readonly urls: number;
  /** When the service charged it. */
  readonly at: number;
  readonly now: number;
}
