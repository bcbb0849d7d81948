import { type CapRefusal, capRefusal } from '../../submission/caps.ts';
import type { WatchId } from '../../submission/ids.ts';
import { WAITS_FOR_MONEY } from '../../submission/reason.ts';
import { listPendingBatches, lockBatch, type PendingBatch } from '../batches/batch-queries.ts';
import { setAside } from '../batches/transitions.ts';
import { retryUnfunded } from '../money/account-status.ts';
import { getLastBalance } from '../money/balance.ts';
import { computeCurrentCost } from '../money/price.ts';
import { getRefusalEnd } from '../money/refusal-end.ts';
import { buildSpendQuestion, withRunCap } from '../money/spend-question.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';

export type FundsCheck =
  | { readonly kind: 'enough' }
  /** What the next batch waits for. `until`: when time alone may help; null: money or an operator. */
  | { readonly kind: 'short'; readonly refusal: CapRefusal; readonly until: number | null };

/**
 * Whether a batch could be sent now, by the caps and by the balance as last recorded: what a suspended account waits
 * for. Record a fresh balance first. Asks exactly as `beginSend` does, but for a balance without a floor: the service
 * has just refused a batch for want of money, so the balance it reports bounds what is tried.
 */
export async function checkFunds(
  ledger: Ledger,
  batch: PendingBatch,
  { account, watch }: { account: AccountPolicy; watch: Pick<WatchPolicy, 'spend'> },
): Promise<FundsCheck> {
  const now = ledger.now();
  const { db } = ledger;
  const question = await buildSpendQuestion(
    db,
    account,
    await withRunCap(db, batch, watch.spend),
    { watchId: batch.watch_id, runId: batch.run_id, count: 'on their way', except: { kind: 'batch', id: batch.id } },
    now,
  );
  const balance = question.balance ?? (await getLastBalance(ledger, account.id))?.amount ?? null;
  const cost = await computeCurrentCost(db, batch, account);
  const refusal = capRefusal({ ...question, balance, cost });
  return refusal === null ? { kind: 'enough' } : { kind: 'short', refusal, until: getRefusalEnd(refusal, now) };
}

const MOST_RESUMED = 10;

/**
 * Releases batches that a cap has set aside and that the settings allow by now, for example after you raised the cap. What
 * waits for money is not among them: a balance has to be read first. Returns whether there is one to send.
 */
export async function resumeWithinCaps(
  ledger: Ledger,
  account: AccountPolicy,
  getWatch: (watch: WatchId) => Pick<WatchPolicy, 'spend'> | undefined,
): Promise<boolean> {
  const { batches } = await listPendingBatches(ledger, account.id, { limit: 100, waiting: true });
  const capped = batches.filter(({ reason_code }) => reason_code === 'cap_reached' || reason_code === 'price_unknown');
  let resumed = false;
  for (const batch of capped.slice(0, MOST_RESUMED)) {
    const watch = getWatch(batch.watch);
    if (watch === undefined || (await checkFunds(ledger, batch, { account, watch })).kind === 'short') continue;
    await ledger.db.tx(async (tx) => {
      const row = await lockBatch(tx, batch.id);
      if (row.state !== 'planned' || row.in_doubt_since !== null) return;
      await setAside(tx, row, { wait: null, reason: null });
      resumed = true;
    });
  }
  return resumed;
}

/**
 * After a top-up, releases at once the batches that the service refused for want of money and that the current balance covers,
 * however long they were to wait. Record a fresh balance first. Returns whether the account sends again.
 */
export async function resumeFunded(
  ledger: Ledger,
  account: AccountPolicy,
  getWatch: (watch: WatchId) => Pick<WatchPolicy, 'spend'> | undefined,
): Promise<boolean> {
  const { batches } = await listPendingBatches(ledger, account.id, { limit: 100, waiting: true });
  const refused = batches.filter(({ reason_code }) => WAITS_FOR_MONEY.some((code) => code === reason_code));
  let resumed = false;
  for (const batch of refused.slice(0, MOST_RESUMED)) {
    const watch = getWatch(batch.watch);
    if (watch === undefined || (await checkFunds(ledger, batch, { account, watch })).kind === 'short') continue;
    await ledger.db.tx(async (tx) => {
      const row = await lockBatch(tx, batch.id);
      if (row.state !== 'planned' && row.state !== 'sending') return;
      await setAside(tx, row, { wait: null, reason: null });
      resumed = true;
    });
  }
  if (resumed) await retryUnfunded(ledger, account.id);
  return resumed;
}
