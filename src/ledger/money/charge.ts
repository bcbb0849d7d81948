import { formatTry, type Micros, maxMicros, micros, splitMicros, timesMicros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId } from '../../submission/ids.ts';
import { type ClosedBucket, INTO_CLOSED } from '../journal/entry.ts';
import type { PriceBasis } from '../policy.ts';
import { FRESH_MS } from './balance.ts';
import { isBookedAfter, isInDoubt } from './in-doubt.ts';
import { getPrice } from './price.ts';

/** The charge of a batch, as far as it is known. */
export interface BatchCharge {
  /** Null when it is unknown: shown as unknown, never as 0.00. */
  readonly amount: Micros | null;
  /** The service reported it. */
  readonly reported: boolean;
  /** Whether the charge reveals the price of a URL. */
  readonly updatesPrice: boolean;
  /** Contradictions, as messages. */
  readonly warnings: readonly string[];
}

/** What decides over the charge of a batch that was sent: its columns in the ledger. */
interface SentBatch {
  readonly id: BatchId;
  readonly account_id: AccountId;
  readonly service: ServiceLevel;
  readonly urls: number;
  readonly expected_cost: Micros | null;
  readonly price_basis: PriceBasis;
  /** Since when the outcome of an attempt is unknown; null when nothing can have been charged. */
  readonly in_doubt_since: number | null;
}

/** What an acceptance reports about money. */
export interface ReportedMoney {
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  /** A mere "price": of one URL, or of all of them. */
  readonly price?: Micros | null;
  /** After the charge. */
  readonly balance: Micros | null;
}

/**
 * No service asks 1,000 TRY for a URL: a higher amount is misread or wrong. Believing it would fill every cap for a
 * month, and sums of such amounts leave the range that can be counted exactly.
 */
const MAX_PER_URL = micros(1_000_000_000);

/**
 * Determines what a batch cost: the reported charge; else the fall of the balance, when nothing else can have changed it;
 * else the expected cost at the known price; else unknown. A charge of zero is ignored, because a replayed response may
 * report that nothing was charged now. A charge that equals the price of one URL is read as that price, unless it is what
 * all of them cost at the price that is known, or at that of the last charge before the batch was sent: the configured price
 * may be higher, and the price may have risen since. A larger fall of the balance than expected reveals a risen price.
 */
export async function computeCharge(tx: Queryable, row: SentBatch, reported: ReportedMoney): Promise<BatchCharge> {
  const { charged, pricePerUrl, price: shown = null } = reported;
  const { perUrl } = await getPrice(tx, row.account_id, row.service, null);
  // Planned before the first charge showed the price: it is known by now.
  const expected = row.expected_cost ?? (perUrl === null ? null : timesMicros(perUrl, row.urls));
  const amount = ifPlausible(charged, row.urls);
  const isTotal = shown !== null && pricePerUrl === null && isPriceOfBatch(shown, row.urls, expected);
  const price = ifPlausible(pricePerUrl ?? (isTotal ? null : shown), 1);
  if (amount !== null && (await isChargeOfAll(tx, row, amount, { perUrl, price, expected }))) {
    return { amount, reported: true, updatesPrice: true, warnings: higherThanExpected(row, amount) };
  }
  const total = isTotal ? ifPlausible(shown, row.urls) : null;
  if (amount === null && total !== null)
    return { amount: total, reported: true, updatesPrice: true, warnings: higherThanExpected(row, total) };
  const unit = price ?? amount;
  if (unit !== null) {
    const whole = timesMicros(unit, row.urls);
    return { amount: whole, reported: true, updatesPrice: true, warnings: higherThanExpected(row, whole) };
  }
  const warnings = [charged, pricePerUrl, shown].flatMap((each) =>
    each !== null && each > MAX_PER_URL
      ? [`the service reports ${formatTry(each)}, which is implausible and ignored`]
      : [],
  );
  const fall = reported.balance === null ? null : await computeBalanceDrop(tx, row, reported.balance);
  const observed = ifPlausible(fall, row.urls);
  if (observed === null) return { amount: expected, reported: false, updatesPrice: false, warnings };
  if (expected === null) return { amount: observed, reported: false, updatesPrice: true, warnings };
  // The price has risen, or others bought on the account: the higher amount keeps the caps, now and for what follows.
  return {
    amount: maxMicros(observed, expected),
    reported: false,
    updatesPrice: observed > expected,
    warnings: [...warnings, ...higherThanExpected(row, observed)],
  };
}

interface KnownPrices {
  /** Known before. */
  readonly perUrl: Micros | null;
  /** Reported beside the charge. */
  readonly price: Micros | null;
  readonly expected: Micros | null;
}

async function isChargeOfAll(
  tx: Queryable,
  row: SentBatch,
  amount: Micros,
  { perUrl, price, expected }: KnownPrices,
): Promise<boolean> {
  if (!isUnitPrice(amount, row.urls, price, expected) || isPriceOfAll(amount, row.urls, perUrl)) return true;
  return price === null && isPriceOfAll(amount, row.urls, await findPriceWhenSent(tx, row));
}

/** A charge that equals the price of one URL, reported or expected, is that price under another name. */
function isUnitPrice(amount: Micros, urls: number, price: Micros | null, expected: Micros | null): boolean {
  if (urls === 1) return false;
  if (amount === price) return true;
  return expected !== null && expected % urls === 0 && amount === splitMicros(expected, urls);
}

/**
 * Whether a mere "price" is that of all URLs. As that of one URL it would be more than double of what was expected, and as that
 * of all at least the half: prices rise and are rounded, but one URL hardly costs what all of them did. Where it may be either,
 * the higher amount keeps the caps.
 */
const isPriceOfBatch = (price: Micros, urls: number, expected: Micros | null): boolean =>
  urls > 1 && expected !== null && (price === expected || (price * urls > 2 * expected && 2 * price >= expected));

const isPriceOfAll = (amount: Micros, urls: number, perUrl: Micros | null): boolean =>
  perUrl !== null && amount === timesMicros(perUrl, urls);

/** What a URL cost by the last reported charge from before the batch was first sent. Uses journal_by_account. */
async function findPriceWhenSent(tx: Queryable, row: SentBatch): Promise<Micros | null> {
  const until = row.in_doubt_since === null ? sql`1 = 1` : sql`j.at <= ${row.in_doubt_since}`;
  const last = await tx.get(sql<{ amount: Micros; urls: number }>`
    SELECT j.amount, j.urls FROM journal AS j JOIN batches AS b ON b.id = j.of_id
    WHERE j.account_id = ${row.account_id} AND j.kind = 'batch' AND j.to_bucket = 'charged' AND j.urls > 0
      AND b.service = ${row.service} AND ${until}
    ORDER BY j.at DESC, j.id DESC LIMIT 1`);
  return last !== undefined && last.amount % last.urls === 0 ? splitMicros(last.amount, last.urls) : null;
}

const ifPlausible = (amount: Micros | null, urls: number): Micros | null =>
  amount !== null && amount > 0 && amount <= MAX_PER_URL * urls ? amount : null;

function higherThanExpected({ expected_cost: expected, price_basis: basis }: SentBatch, amount: Micros): string[] {
  if (expected === null || amount <= expected) return [];
  return [
    `${formatTry(amount)} was charged where ${formatTry(expected)} was expected (price ${basis}): ` +
      'later batches are planned at the new price, within the caps. Ask the service if the price is wrong',
  ];
}

/**
 * By how much the balance fell with this batch: null when anything else of ours may have moved it since it was last
 * reported, when that is so long ago that others may have, or when the fall is not a whole price for each URL. Uses
 * journal_by_account and batches_in_doubt.
 */
async function computeBalanceDrop(tx: Queryable, row: SentBatch, after: Micros): Promise<Micros | null> {
  const before = await tx.get(sql<{ balance: Micros }>`
    SELECT balance FROM ledger_accounts AS a
    WHERE a.id = ${row.account_id} AND balance IS NOT NULL AND balance_at <= ${row.in_doubt_since}
      AND balance_at >= ${(row.in_doubt_since ?? 0) - FRESH_MS}
      AND NOT ${isBookedAfter(sql`a.id`, sql`a.balance_at`)} AND NOT ${isInDoubt(sql`a.id`, row.id)}`);
  if (before === undefined) return null;
  const fall = micros(before.balance - after);
  return fall > 0 && fall % row.urls === 0 ? fall : null;
}

/** Whether the service reported what its last charge on the account was; null before the first one. */
export async function reportsCharges(db: Queryable, account: AccountId): Promise<boolean | null> {
  const last = await db.get(sql<{ bucket: ClosedBucket }>`
    SELECT to_bucket AS bucket FROM journal
    WHERE account_id = ${account} AND kind = 'batch' AND urls > 0 AND ${INTO_CLOSED} ORDER BY at DESC, id DESC LIMIT 1`);
  return last === undefined ? null : last.bucket === 'charged';
}
