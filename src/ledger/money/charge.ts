import { formatTry, type Micros, timesMicros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { BatchRow } from '../batches/batch-row.ts';
import { getPrice } from './price.ts';

/** What was charged for a batch, as far as it is known. */
export interface BatchCharge {
  /** Null when nobody knows: shown so, never as 0.00. */
  readonly amount: Micros | null;
  /** The service said so itself. */
  readonly reported: boolean;
  /** It shows the price of a URL. */
  readonly updatesPrice: boolean;
  /** What does not fit, in sentences for a person. */
  readonly warnings: readonly string[];
}

/** What an acceptance tells of money. */
export interface ReportedMoney {
  readonly charged: Micros | null;
  readonly pricePerUrl: Micros | null;
  /** After the charge. */
  readonly balance: Micros | null;
}

/**
 * No service asks 1,000 TRY for a URL: an amount above is a misread or a broken one. Believed, it would fill every cap
 * for a month, and sums of such amounts leave what can be counted exactly.
 */
const MAX_PER_URL = 1_000_000_000 as Micros;

/**
 * What a batch cost: what the service says; else what the balance shows, when nothing else can have moved it; else what
 * was expected at the price known; else it is unknown. Zero is not believed, because an answer that repeats an earlier
 * one may well say that nothing was charged now; below zero is nonsense.
 */
export async function computeCharge(tx: Queryable, row: BatchRow, told: ReportedMoney): Promise<BatchCharge> {
  const { charged, pricePerUrl } = told;
  const amount = ifPlausible(charged, row.urls);
  const price = ifPlausible(pricePerUrl, 1);
  // A charge that equals the price of one URL is that price under another name.
  if (amount !== null && !(amount === price && row.urls > 1)) {
    return { amount, reported: true, updatesPrice: true, warnings: higherThanExpected(row, amount) };
  }
  if (price !== null) {
    const whole = timesMicros(price, row.urls);
    return { amount: whole, reported: true, updatesPrice: true, warnings: higherThanExpected(row, whole) };
  }
  const warnings = [charged, pricePerUrl].flatMap((each) =>
    each !== null && each > MAX_PER_URL ? [`the service speaks of ${formatTry(each)}, which is not believed`] : [],
  );
  const fall = told.balance === null ? null : await computeBalanceDrop(tx, row, told.balance);
  const seen = ifPlausible(fall, row.urls);
  // Planned before the first charge showed the price: it is known by now.
  const { perUrl } = await getPrice(tx, row.account_id, row.service, null);
  const expected = row.expected_cost ?? (perUrl === null ? null : timesMicros(perUrl, row.urls));
  if (seen === null) return { amount: expected, reported: false, updatesPrice: false, warnings: warnings };
  if (expected === null) return { amount: seen, reported: false, updatesPrice: true, warnings: warnings };
  // A price that has risen, or another purchase of the account: the higher one keeps the caps.
  const highest = Math.max(seen, expected) as Micros;
  return {
    amount: highest,
    reported: false,
    updatesPrice: false,
    warnings: [...warnings, ...higherThanExpected(row, seen)],
  };
}

const ifPlausible = (amount: Micros | null, urls: number): Micros | null =>
  amount !== null && amount > 0 && amount <= MAX_PER_URL * urls ? amount : null;

function higherThanExpected({ expected_cost: expected, price_basis: basis }: BatchRow, amount: Micros): string[] {
  if (expected === null || amount <= expected) return [];
  return [
    `${formatTry(amount)} was charged where ${formatTry(expected)} was expected (price ${basis}): ` +
      'what follows is planned at the new price, inside the caps. Ask the service if it is not meant so',
  ];
}

/**
 * By how much the balance fell with this batch: null when anything else of ours may have moved it since it was last
 * told, or when the fall is not a whole price for each URL. Uses charges_by_account and batches_waiting.
 */
async function computeBalanceDrop(tx: Queryable, row: BatchRow, after: Micros): Promise<Micros | null> {
  const before = await tx.get(sql<{ balance: Micros }>`
    SELECT balance FROM ledger_accounts AS a
    WHERE a.id = ${row.account_id} AND balance IS NOT NULL AND balance_at <= ${row.in_doubt_since}
      AND NOT EXISTS (SELECT 1 FROM charges AS c WHERE c.account_id = a.id AND c.at > a.balance_at)
      AND NOT EXISTS (
        SELECT 1 FROM batches AS b WHERE b.account_id = a.id AND b.id <> ${row.id} AND b.in_doubt_since IS NOT NULL)
      AND NOT EXISTS (
        SELECT 1 FROM checks AS k WHERE k.account_id = a.id AND k.state = 'sending' AND k.in_doubt_since IS NOT NULL)`);
  if (before === undefined) return null;
  const fall = before.balance - after;
  return fall > 0 && fall % row.urls === 0 ? (fall as Micros) : null;
}
