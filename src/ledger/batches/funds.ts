import type { Queryable } from '../../database/database.ts';
import { type CapRefusal, capRefusal, type SpendQuestion } from '../../submission/caps.ts';
import type { WatchId } from '../../submission/ids.ts';
import { WAITS_FOR_MONEY } from '../../submission/reason.ts';
import { retryUnfunded } from '../money/account-status.ts';
import { findBalance } from '../money/balance.ts';
import { computeCurrentCost } from '../money/price.ts';
import { getRefusalEnd } from '../money/refusal-end.ts';
import { buildSpendQuestion, withRunCap } from '../money/spend-question.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import { type BatchRow, listPendingBatches, lockBatch, type PendingBatch } from './batch-queries.ts';
import { setAside } from './transitions.ts';

/** What decides over the money of a batch, as it is now: the configuration, the price or the balance may have changed. */
export async function askFunds(
  db: Queryable,
  batch: Pick<PendingBatch, 'id' | 'watch_id' | 'run_id' | 'service' | 'urls' | 'expected_cost'>,
  { account, watch }: { readonly account: AccountPolicy; readonly watch: Pick<WatchPolicy, 'spend'> },
  now: number,
): Promise<SpendQuestion> {
  const caps = await withRunCap(db, batch, watch.spend);
  const except = { kind: 'batch', id: batch.id } as const;
  const scope = { watchId: batch.watch_id, runId: batch.run_id, count: 'on their way', except } as const;
  return {
    ...(await buildSpendQuestion(db, account, caps, scope, now)),
    cost: await computeCurrentCost(db, batch, account),
  };
}

export type FundsCheck =
  | { readonly kind: 'enough' }
  /** What the next batch waits for. `until`: when time alone may help; null: money or an operator. */
  | { readonly kind: 'short'; readonly refusal: CapRefusal; readonly until: number | null };

/**
 * Whether a batch could be sent now, by the caps and by the balance as last recorded. Record a fresh balance first. Asks
 * exactly as `beginSend` does, but for a balance without a floor: the service has just refused a batch for want of money,
 * so the balance it reports bounds what is tried.
 */
export async function checkFunds(
  ledger: Ledger,
  batch: PendingBatch,
  policy: { readonly account: AccountPolicy; readonly watch: Pick<WatchPolicy, 'spend'> },
): Promise<FundsCheck> {
  const now = ledger.now();
  const question = await askFunds(ledger.db, batch, policy, now);
  const balance = question.balance ?? (await findBalance(ledger.db, policy.account.id))?.amount ?? null;
  const refusal = capRefusal({ ...question, balance });
  return refusal === null ? { kind: 'enough' } : { kind: 'short', refusal, until: getRefusalEnd(refusal, now) };
}

const MOST_RESUMED = 10;

type GetWatch = (watch: WatchId) => Pick<WatchPolicy, 'spend'> | undefined;

/**
 * Releases batches that a cap has set aside and that the settings allow by now, for example after you raised the cap. What
 * waits for money is not among them: a balance has to be read first. Returns whether there is one to send.
 */
export const resumeWithinCaps = (ledger: Ledger, account: AccountPolicy, getWatch: GetWatch): Promise<boolean> =>
  resume(ledger, account, getWatch, {
    codes: ['cap_reached', 'price_unknown'],
    mayResume: ({ state, in_doubt_since }) => state === 'planned' && in_doubt_since === null,
  });

/**
 * After a top-up, releases at once the batches that the service refused for want of money and that the current balance covers,
 * however long they were to wait. Record a fresh balance first. Returns whether the account sends again.
 */
export async function resumeFunded(ledger: Ledger, account: AccountPolicy, getWatch: GetWatch): Promise<boolean> {
  const mayResume = ({ state }: BatchRow) => state === 'planned' || state === 'sending';
  const resumed = await resume(ledger, account, getWatch, { codes: WAITS_FOR_MONEY, mayResume });
  if (resumed) await retryUnfunded(ledger, account.id);
  return resumed;
}

async function resume(
  ledger: Ledger,
  account: AccountPolicy,
  getWatch: GetWatch,
  { codes, mayResume }: { readonly codes: readonly string[]; readonly mayResume: (row: BatchRow) => boolean },
): Promise<boolean> {
  const { batches } = await listPendingBatches(ledger, account.id, { limit: 100, waiting: true });
  const waiting = batches.filter(({ reason_code }) => reason_code !== null && codes.includes(reason_code));
  let resumed = false;
  for (const batch of waiting.slice(0, MOST_RESUMED)) {
    const watch = getWatch(batch.watch);
    if (watch === undefined || (await checkFunds(ledger, batch, { account, watch })).kind === 'short') continue;
    await ledger.db.tx(async (tx) => {
      const row = await lockBatch(tx, batch.id);
      if (!mayResume(row)) return;
      await setAside(tx, row, { wait: null, reason: null });
      resumed = true;
    });
  }
  return resumed;
}
