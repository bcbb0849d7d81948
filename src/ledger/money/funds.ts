import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { type CapRefusal, capRefusal } from '../../submission/caps.ts';
import type { AccountId, BatchId } from '../../submission/ids.ts';
import { getBatch } from '../batches/batch-row.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import { computeCurrentCost } from './price.ts';
import { getRefusalEnd } from './spend.ts';
import { buildSpendQuestion } from './spend-question.ts';

export type FundsCheck =
  | { readonly kind: 'enough' }
  /** What the next batch waits for. `until`: when time alone may help; null: money or a person. */
  | { readonly kind: 'short'; readonly refusal: CapRefusal; readonly until: number | null };

/**
 * Whether a batch could be sent now, by the caps and by the balance as last recorded: what an account that was parked
 * waits for. Record a fresh balance first.
 */
export async function checkFunds(
  ledger: Ledger,
  batch: BatchId,
  { account, watch }: { account: AccountPolicy; watch: Pick<WatchPolicy, 'spend'> },
): Promise<FundsCheck> {
  const now = ledger.now();
  const row = await getBatch(ledger.db, batch);
  const question = await buildSpendQuestion(
    ledger.db,
    account,
    watch.spend,
    { watchId: row.watch_id, runId: row.run_id },
    { count: 'on their way', except: { kind: 'batch', id: row.id } },
    now,
  );
  const kept = await ledger.db.get(sql<{ balance: Micros | null }>`
    SELECT balance FROM ledger_accounts WHERE id = ${account.id}`);
  const balance = question.balance ?? kept?.balance ?? null;
  const cost = await computeCurrentCost(ledger.db, row, account);
  const refusal = capRefusal({ ...question, balance, cost });
  return refusal === null ? { kind: 'enough' } : { kind: 'short', refusal, until: getRefusalEnd(refusal, now) };
}

export interface AccountStatus {
  /** Why its batches wait for money; null when they do not. */
  readonly suspended: string | null;
  /** Why its key is not used; null when it is. */
  readonly keyRejected: string | null;
}

export async function getAccountStatus(ledger: Ledger, account: AccountId): Promise<AccountStatus> {
  const row = await ledger.db.get(sql<AccountStatus>`
    SELECT suspended, key_rejected AS "keyRejected" FROM ledger_accounts WHERE id = ${account}`);
  return { suspended: row?.suspended ?? null, keyRejected: row?.keyRejected ?? null };
}

/** The key was refused: nothing of the account is sent until it works again. */
export async function recordKeyRejected(db: Queryable, account: AccountId, reason: string): Promise<void> {
  await db.run(sql`UPDATE ledger_accounts SET key_rejected = ${reason} WHERE id = ${account}`);
}

/** The money suffices again, or the key works again. */
export async function resumeAccount(
  ledger: Ledger,
  account: AccountId,
  what: 'suspended' | 'key_rejected',
): Promise<void> {
  await ledger.db.run(
    what === 'suspended'
      ? sql`UPDATE ledger_accounts SET suspended = NULL WHERE id = ${account}`
      : sql`UPDATE ledger_accounts SET key_rejected = NULL WHERE id = ${account}`,
  );
}
