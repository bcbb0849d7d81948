import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type CapRefusal, lowerCap, urlsAllowed } from '../../submission/caps.ts';
import type { Url } from '../../url/normalize-url.ts';
import { getPrice, type Price } from '../money/price.ts';
import { buildSpendQuestion } from '../money/spend-question.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import type { RunRow } from '../runs/runs.ts';

export interface PlanInput {
  readonly account: AccountPolicy;
  readonly watch: WatchPolicy;
  /** A cap of this run alone, under the watch's own. */
  readonly maxCost?: Micros | null;
  /** The only page that may be bought; every other stays due as it is. */
  readonly only?: Url;
}

/**
 * How many of the due URLs the caps, the floor and the price allow a run to buy, beside those that it has planned already,
 * and what stops the next one. A guard asks it before the plan is made.
 */
export async function getAllowance(
  tx: Queryable,
  now: number,
  run: Pick<RunRow, 'id' | 'watch_id' | 'decided_urls' | 'decided_cost' | 'planned_urls'>,
  { account, watch, maxCost = null }: PlanInput,
  wanted: number,
): Promise<{ readonly price: Price; readonly urls: number; readonly refusal: CapRefusal | null }> {
  const price = await getPrice(tx, account.id, watch.service, account.pricePerUrl[watch.service]);
  const { decided_urls: decidedUrls, decided_cost: decidedCost, planned_urls: plannedUrls } = run;
  const caps = {
    ...watch.spend,
    perRun: lowerCap(watch.spend.perRun, maxCost),
    decided:
      decidedUrls === null
        ? null
        : { urls: decidedUrls, cost: decidedCost, urlsLeft: Math.max(0, decidedUrls - (plannedUrls ?? 0)) },
  };
  const scope = { watchId: run.watch_id, runId: run.id, count: 'all' } as const;
  const question = await buildSpendQuestion(tx, account, caps, scope, now);
  return { price, ...urlsAllowed(question, price.perUrl, wanted) };
}
