import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type CapRefusal, lowerCap, urlsAllowed } from '../../submission/caps.ts';
import { getPrice, type Price } from '../money/price.ts';
import { buildSpendQuestion } from '../money/spend-question.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import type { RunRow } from '../runs/runs.ts';

export interface PlanInput {
  readonly account: AccountPolicy;
  readonly watch: WatchPolicy;
  /** A cap of this run alone, under the watch's own. */
  readonly maxCost?: Micros | null;
}

/**
 * How many of the due URLs the caps, the floor and the price allow a run to buy, beside those that it has planned already,
 * and what stops the next one. A guard asks it before the plan is made.
 */
export async function getAllowance(
  tx: Queryable,
  now: number,
  run: Pick<RunRow, 'id' | 'watch_id'>,
  { account, watch, maxCost = null }: PlanInput,
  wanted: number,
): Promise<{ readonly price: Price; readonly urls: number; readonly refusal: CapRefusal | null }> {
  const price = await getPrice(tx, account.id, watch.service, account.pricePerUrl[watch.service]);
  const caps = { ...watch.spend, perRun: lowerCap(watch.spend.perRun, maxCost) };
  const spender = { watchId: run.watch_id, runId: run.id };
  const question = await buildSpendQuestion(tx, account, caps, spender, { count: 'all' }, now);
  return { price, ...urlsAllowed(question, price.perUrl, wanted) };
}
