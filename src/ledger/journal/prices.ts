import { type Micros, maxMicros, timesMicros, ZERO } from '../../../contract/money.ts';
import { SERVICE_LEVELS, type ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId } from '../../submission/ids.ts';
import { FROM_OPEN, INTO_CLOSED, type OpenBucket, type Purchase, writeEntry } from './entry.ts';
import { findMoney, holdMoney, sumOfBucket } from './open-money.ts';

/** What a URL costs as configured; null: learned from charges. */
type Configured = Readonly<Record<ServiceLevel, Micros | null>>;

/** A submission under way that holds another amount than it may cost at today's price. */
export interface Repriced {
  readonly purchase: Purchase;
  readonly bucket: OpenBucket;
  readonly before: Micros;
  readonly amount: Micros;
}

/** A price that is not the one at which open money counts. */
interface PriceChange {
  readonly service: ServiceLevel;
  readonly price: Micros;
  readonly configured: Micros;
  readonly isNewPrice: boolean;
}

async function listPriceChanges(db: Queryable, account: AccountId, configured: Configured): Promise<PriceChange[]> {
  const rows = await db.all(sql<{ service: ServiceLevel; price: Micros; counted: Micros; configured: Micros }>`
    SELECT service, price, counted, configured FROM prices WHERE account_id = ${account}`);
  return SERVICE_LEVELS.flatMap((service): PriceChange[] => {
    const known = rows.find((each) => each.service === service) ?? { price: ZERO, counted: ZERO, configured: ZERO };
    const own = configured[service] ?? ZERO;
    const price = maxMicros(own, known.price);
    if (price === known.counted && own === known.configured) return [];
    return [{ service, price, configured: own, isNewPrice: price > 0 && price !== known.counted }];
  });
}

/**
 * What is planned or sent and would be corrected now: the price has changed since its money was held. Costs two small
 * reads where no price has changed; else it uses batches_waiting, batches_in_doubt and journal_by_purchase.
 */
export async function listRepriced(db: Queryable, account: AccountId, configured: Configured): Promise<Repriced[]> {
  const changes = await listPriceChanges(db, account, configured);
  const repriced: Repriced[] = [];
  for (const change of changes) {
    if (change.isNewPrice) repriced.push(...(await listAtOtherPrice(db, account, change)));
  }
  return repriced;
}

interface OpenBatch {
  readonly id: number;
  readonly watch_id: number;
  readonly run_id: number | null;
  readonly urls: number;
  readonly expected: Micros;
  readonly state: string;
  readonly planned: Micros;
  readonly sent: Micros;
}

async function listAtOtherPrice(
  db: Queryable,
  account: AccountId,
  { service, price }: Pick<PriceChange, 'service' | 'price'>,
): Promise<Repriced[]> {
  const held = (bucket: OpenBucket) =>
    sql`(SELECT ${sumOfBucket(bucket)} FROM journal WHERE kind = 'batch' AND of_id = b.id)`;
  const columns = sql`b.id, b.watch_id, b.run_id, b.urls, coalesce(b.expected_cost, 0) AS expected, b.state,
    ${held('planned')} AS planned, ${held('sent')} AS sent`;
  const batches = await db.all(sql<OpenBatch>`
    SELECT ${columns} FROM batches AS b
    WHERE b.account_id = ${account} AND b.state IN ('planned', 'sending') AND b.service = ${service}
    UNION ALL
    SELECT ${columns} FROM batches AS b
    WHERE b.account_id = ${account} AND b.state = 'needs_review' AND b.in_doubt_since IS NOT NULL AND b.service = ${service}`);
  return batches.flatMap(({ id, watch_id, run_id, urls, expected, state, planned, sent }): Repriced[] => {
    const purchase: Purchase = { kind: 'batch', id, account, watchId: watch_id, runId: run_id };
    const amount = maxMicros(expected, timesMicros(price, urls));
    const before = maxMicros(planned, sent);
    return before === amount ? [] : [{ purchase, bucket: state === 'planned' ? 'planned' : 'sent', before, amount }];
  });
}

/**
 * Corrects what is planned or sent to what it may cost at today's price: as planned, or at a price that has risen since. What is
 * charged stays as it was counted; only charges that nobody knew get a price now.
 */
export async function countAtPrices(
  tx: Queryable,
  account: AccountId,
  configured: Configured,
  now: number,
): Promise<void> {
  for (const change of await listPriceChanges(tx, account, configured)) {
    const { service, price } = change;
    if (change.isNewPrice) {
      for (const { purchase, bucket, amount } of await listAtOtherPrice(tx, account, change))
        await holdMoney(tx, purchase, { to: bucket, amount, at: now });
      await estimateUnknown(tx, account, service, price);
    }
    await tx.run(sql`
      INSERT INTO prices (account_id, service, price, learned_at, counted, configured)
      VALUES (${account}, ${service}, 0, 0, ${price}, ${change.configured})
      ON CONFLICT (account_id, service) DO UPDATE SET counted = excluded.counted, configured = excluded.configured`);
  }
}

/** The prices at which money of this account and service level counts now; 0 where none is known. */
export async function getCountedPrice(
  db: Queryable,
  account: AccountId,
  service: ServiceLevel,
): Promise<Pick<PriceChange, 'price' | 'configured'>> {
  const row = await db.get(sql<Pick<PriceChange, 'price' | 'configured'>>`
    SELECT counted AS price, configured FROM prices WHERE account_id = ${account} AND service = ${service}`);
  return row ?? { price: ZERO, configured: ZERO };
}

/** Charges that nobody knew count at this price from now on, on the days on which they were made. */
export async function estimateUnknown(
  tx: Queryable,
  account: AccountId,
  service: ServiceLevel,
  price: Micros,
): Promise<void> {
  for (const { id, watch_id, run_id } of await tx.all(selectUnknown(account, service))) {
    const purchase: Purchase = { kind: 'batch', id, account, watchId: watch_id, runId: run_id };
    const { closed } = await findMoney(tx, purchase);
    if (closed === null || closed.unpriced === 0) continue;
    const amount = timesMicros(price, closed.unpriced);
    await writeEntry(tx, purchase, {
      ...{ from: 'free', to: closed.bucket, amount, at: closed.at },
      booked: { counted: amount, day: closed.day, urls: 0, unpriced: -closed.unpriced },
    });
  }
}

/** Submissions whose charge nobody knows. Uses journal_unknown: it is asked at each charge. */
export const selectUnknown = (account: AccountId, service: ServiceLevel) => sql<{
  id: number;
  watch_id: number;
  run_id: number | null;
  urls: number;
}>`
  SELECT b.id, b.watch_id, b.run_id, j.urls FROM journal AS j JOIN batches AS b ON b.id = j.of_id
  WHERE j.account_id = ${account} AND j.unpriced > 0 AND ${INTO_CLOSED} AND ${FROM_OPEN} AND b.service = ${service}
    AND NOT EXISTS (SELECT 1 FROM journal AS e WHERE e.kind = 'batch' AND e.of_id = j.of_id AND e.unpriced < 0)`;
