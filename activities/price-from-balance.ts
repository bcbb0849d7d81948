import type { Micros } from '../contract/money.ts';
import { getBatch } from '../src/ledger/batches/batch-row.ts';
import { recordBalance } from '../src/ledger/money/balance.ts';
import { computeCurrentCost } from '../src/ledger/money/price.ts';
import type { AccountId, BatchId } from '../src/submission/ids.ts';
import type { Outcome } from '../src/submission/outcome.ts';
import type { Deps } from './deps.ts';

/**
 * Before a batch whose price nobody knows: what the balance is, so that its fall can tell the price. Two requests for
 * the first batch of a service that tells neither charge nor price; none for any other.
 */
export async function recordBalanceBefore(deps: Deps, account: AccountId, batch: BatchId | undefined): Promise<void> {
  if (batch === undefined) return;
  const row = await getBatch(deps.ledger.db, batch);
  if (row.attempts > 0 || (await computeCurrentCost(deps.ledger.db, row, deps.getAccount(account))) !== null) return;
  const balance = await tryBalance(deps, account);
  if (balance !== null) await recordBalance(deps.ledger, account, balance);
}

/** An acceptance that tells nothing of money, at an unknown price: with the balance after it. */
export async function withBalanceAfter(
  deps: Deps,
  account: AccountId,
  expectedCost: Micros | null,
  outcome: Outcome,
): Promise<Outcome> {
  if (outcome.kind !== 'accepted' || expectedCost !== null) return outcome;
  if ((outcome.charged ?? 0) > 0 || (outcome.pricePerUrl ?? 0) > 0 || outcome.balance !== null) return outcome;
  return { ...outcome, balance: await tryBalance(deps, account) };
}

/** Null rather than a failure or a wait: the price is good to know, and nothing waits for it. */
async function tryBalance({ getApi }: Deps, account: AccountId): Promise<Micros | null> {
  try {
    const { body } = await getApi(account).ask('poll', (client) => client.balance());
    return body.kind === 'success' ? body.data.balance : null;
  } catch {
    return null;
  }
}
