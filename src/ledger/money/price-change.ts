import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { isOtherPrice, isReported, type NewPrice } from '../../submission/new-price.ts';

/**
 * The one writer of prices. A known price is replaced only where `replaces` holds, a condition on the row. Also records since when
 * a URL has cost this much: a difference within the rounding of a charge is no change, and entries of a later time are from a
 * clock that was ahead.
 */
export async function writePrice(
  tx: Queryable,
  account: AccountId,
  { service, price, at }: PriceEntry,
  replaces: Query,
): Promise<void> {
  const { changes } = await tx.run(sql`
    INSERT INTO prices (account_id, service, price, learned_at) VALUES (${account}, ${service}, ${price}, ${at})
    ON CONFLICT (account_id, service) DO UPDATE SET price = excluded.price, learned_at = excluded.learned_at
      WHERE ${replaces}`);
  if (changes === 0) return;
  const isOfPrice = sql`account_id = ${account} AND service = ${service}`;
  await tx.run(sql`DELETE FROM price_changes WHERE ${isOfPrice} AND at > ${at}`);
  const last = await tx.get(sql<{ price: Micros }>`
    SELECT price FROM price_changes WHERE ${isOfPrice} ORDER BY at DESC LIMIT 1`);
  if (last !== undefined && !isOtherPrice(last.price, price)) return;
  await tx.run(sql`
    INSERT INTO price_changes (account_id, service, at, price) VALUES (${account}, ${service}, ${at}, ${price})
    ON CONFLICT (account_id, service, at) DO UPDATE SET price = excluded.price`);
}

/** Since when a URL has cost this much. */
export interface PriceEntry {
  readonly service: ServiceLevel;
  readonly at: number;
  readonly price: Micros;
}

/** The last change of a price, while it is reported; null without one. The first price is no change. */
export function findNewPrice(
  entries: readonly PriceEntry[],
  service: ServiceLevel,
  configured: Micros | null,
  now: number,
): NewPrice | null {
  const [last, before] = entries.filter((entry) => entry.service === service).sort((a, b) => b.at - a.at);
  if (last === undefined || before === undefined) return null;
  const change = { before: before.price, after: last.price, since: last.at, configured };
  return isReported(change, now) ? { service, ...change } : null;
}
