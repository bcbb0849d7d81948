import { type Micros, sumMicros, ZERO } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { type Caps, lowerCap, type SpendQuestion } from '../../submission/caps.ts';
import { type OpenScope, sumCommitted, sumCounted, sumCountedOfRun } from '../journal/sums.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import { computeBalanceLeft } from './balance.ts';

export interface SpendScope extends Omit<OpenScope, 'account'> {
  /** The answer decides over a request that is sent now: a floor then needs a balance that is fresh. */
  readonly sendsNow?: boolean;
}

const NOTHING = { day: ZERO, month: ZERO };

/**
 * Reads the facts for the cap check, inside the transaction that spends: what was charged and what may be charged, of
 * submissions and index-checks alike. Amounts of periods without a cap may be too low. `ofChecks`: the caps are for the
 * index-checks of the watch.
 */
export async function buildSpendQuestion(
  tx: Queryable,
  account: AccountPolicy,
  watchCaps: Caps,
  scope: SpendScope,
  now: number,
): Promise<Omit<SpendQuestion, 'cost'>> {
  const isCapped = (cap: keyof Caps) =>
    (watchCaps[cap] ?? null) !== null || ((account.spend as Caps)[cap] ?? null) !== null;
  const boundsRun = isCapped('perRun') || (watchCaps.decided ?? null) !== null;
  const whose = { ...scope, account: account.id };
  const since = isCapped('perMonth') ? 'month' : isCapped('perDay') ? 'day' : null;
  const counted = since === null ? { account: NOTHING, watch: NOTHING } : await sumCounted(tx, whose, { now, since });
  const ofRun = boundsRun ? await sumCountedOfRun(tx, scope.runId) : ZERO;
  const committed = await sumCommitted(tx, whose, account.pricePerUrl);
  const { sendsNow = scope.count === 'on their way' } = scope;
  return {
    watch: {
      caps: watchCaps,
      spent: {
        run: sumMicros(ofRun, committed.run),
        day: sumMicros(counted.watch.day, committed.watch),
        month: sumMicros(counted.watch.month, committed.watch),
      },
    },
    account: {
      caps: account.spend,
      spent: {
        day: sumMicros(counted.account.day, committed.account),
        month: sumMicros(counted.account.month, committed.account),
      },
    },
    balance: await computeBalanceLeft(tx, account, committed.account, { now, sendsNow }),
    floor: account.spend.balanceFloor,
  };
}

/** The caps of a watch with what its run may spend: by `--max-cost`, and by the decision on it. */
export async function withRunCap(
  tx: Queryable,
  { run_id }: { readonly run_id: number | null },
  spend: WatchPolicy['spend'],
): Promise<Caps> {
  const run = await tx.get(
    sql<{
      readonly max_cost: Micros | null;
      readonly decided_urls: number | null;
      readonly decided_cost: Micros | null;
    }>`SELECT max_cost, decided_urls, decided_cost FROM runs WHERE id = ${run_id}`,
  );
  const urls = run?.decided_urls ?? null;
  const decided = urls === null ? null : { urls, urlsLeft: 0, cost: run?.decided_cost ?? null };
  return { ...spend, perRun: lowerCap(spend.perRun, run?.max_cost ?? null), decided };
}
