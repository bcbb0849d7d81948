import type { Micros } from '../contract/money.ts';
import { ApiError, unwrapData } from '../src/api-client/errors.ts';
import type { PendingBatch } from '../src/ledger/batches/batch-queries.ts';
import { FRESH_MS, findBalance, needsFreshBalance, recordBalance } from '../src/ledger/money/balance.ts';
import { reportsCharges } from '../src/ledger/money/charge.ts';
import { isAnyDecided } from '../src/ledger/runs/decide-run.ts';
import { RateLimitedError } from '../src/rate-limit/limiter.ts';
import type { AccountId } from '../src/submission/ids.ts';
import type { Outcome } from '../src/submission/outcome.ts';
import type { Deps } from './deps.ts';

/*
 * A service may report no charge. The balance before and after a batch then shows the price, and a price rise, within
 * one batch. Costs two requests for the first such batch and one for each later one. Where charges are reported, it costs
 * one request for an account's first batch.
 */

/** A balance floor needs a fresh balance: without one, it is requested before anything is sent. */
export async function recordFreshBalance(deps: Deps, account: AccountId): Promise<void> {
  if (await needsFreshBalance(deps.ledger, deps.getAccount(account))) await tryRecordBalance(deps, account);
}

/**
 * What an operator decided on is sent at the price that was shown, or not at all: the current price is requested, also before
 * another attempt, because none of the earlier ones may have arrived.
 */
export async function confirmDecided(deps: Deps, account: AccountId, batches: readonly PendingBatch[]): Promise<void> {
  if (await isAnyDecided(deps.ledger.db, batches)) await deps.confirmAccount(account, { afresh: true });
}

/** What a decision over money needs: the current prices and balance, as far as the service answers. */
export async function refreshAccount(deps: Deps, account: AccountId): Promise<void> {
  await deps.confirmAccount(account, { afresh: true });
  await tryRecordBalance(deps, account);
}

/** Before a batch whose charge may not be reported: reads the balance, so that its drop shows the price. */
export async function witnessBalanceBefore(deps: Deps, account: AccountId, batch: PendingBatch): Promise<void> {
  if (batch.attempts > 0) return;
  const reports = await reportsCharges(deps.ledger.db, account);
  if (reports === true) return;
  // After the first one, the balance after a batch is the balance before the next, unless others have had time to spend.
  const last = reports === false ? await findBalance(deps.ledger.db, account) : null;
  if (last !== null && last.at >= deps.now() - FRESH_MS) return;
  await tryRecordBalance(deps, account);
}

/** For an acceptance that reports no charge: reads the balance after it. */
export async function witnessBalanceAfter(deps: Deps, account: AccountId, outcome: Outcome): Promise<Outcome> {
  if (outcome.kind !== 'accepted') return outcome;
  const { charged, pricePerUrl, price = null } = outcome;
  if ([charged, pricePerUrl, price].some((shown) => (shown ?? 0) > 0) || outcome.balance !== null) return outcome;
  return { ...outcome, balance: await tryBalance(deps, account) };
}

async function tryRecordBalance(deps: Deps, account: AccountId): Promise<void> {
  const at = deps.now();
  const balance = await tryBalance(deps, account);
  if (balance !== null) await recordBalance(deps.ledger, account, balance, at);
}

/** Null rather than a failure or a wait: nothing waits for the price, and without a balance a floor blocks sending. */
async function tryBalance({ getApi, log }: Deps, account: AccountId): Promise<Micros | null> {
  try {
    return unwrapData(await getApi(account).request('poll', (client) => client.balance())).balance;
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof RateLimitedError)) throw error;
    log.debug({ account, err: error.message }, 'the balance cannot be read');
    return null;
  }
}
