import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { type Caps, lowerCap, type SpendQuestion } from '../../submission/caps.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import { computeBalanceLeft } from './balance.ts';
import { type CommitmentScope, type SpentFor, sumSpend } from './spend.ts';

export interface SpendScope extends CommitmentScope {
  /** The answer decides over a request that is sent now: a floor then needs a balance that is fresh. */
  readonly sendsNow?: boolean;
}

/** Reads the facts for the cap check, inside the transaction that spends. */
export async function buildSpendQuestion(
  tx: Queryable,
  account: AccountPolicy,
  watchCaps: Caps,
  who: Omit<SpentFor, 'account'>,
  scope: SpendScope,
  now: number,
): Promise<Omit<SpendQuestion, 'cost'>> {
  const isCapped = (cap: keyof Caps) =>
    (watchCaps[cap] ?? null) !== null || ((account.spend as Caps)[cap] ?? null) !== null;
  const capped = { run: isCapped('perRun'), day: isCapped('perDay'), month: isCapped('perMonth') };
  const sums = await sumSpend(tx, { account: account.id, ...who }, account.pricePerUrl, scope, { capped, now });
  const sendsNow = scope.sendsNow ?? scope.count === 'on their way';
  return {
    watch: { caps: watchCaps, spent: sums.watch },
    account: { caps: account.spend, spent: sums.account },
    balance: await computeBalanceLeft(tx, account, sums.committed, { now, sendsNow }),
    floor: account.spend.balanceFloor,
  };
}

/** The caps of a watch with the cap that a run was given for itself (`--max-cost`). */
export async function withRunCap(
  tx: Queryable,
  { run_id }: { readonly run_id: number | null },
  spend: WatchPolicy['spend'],
): Promise<WatchPolicy['spend']> {
  const run = await tx.get(sql<{ max_cost: Micros | null }>`SELECT max_cost FROM runs WHERE id = ${run_id}`);
  return { ...spend, perRun: lowerCap(spend.perRun, run?.max_cost ?? null) };
}
