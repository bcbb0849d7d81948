import type { Micros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { type CapRefusal, capRefusal } from '../../submission/caps.ts';
import type { AccountId, BatchId } from '../../submission/ids.ts';
import { batchRow } from '../batches/batch-row.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import { costToday } from './price.ts';
import { refusalEnds } from './spend.ts';
import { spendQuestion } from './spend-question.ts';

export type Standing =
  | { readonly kind: 'enough' }
  /** What the next batch waits for. `until`: when time alone may help; null: money or a person. */
  | { readonly kind: 'short'; readonly refusal: CapRefusal; readonly until: number | null };

/**
 * Whether a batch could be sent now, by the caps and by the balance as last recorded: what an account that was parked
 * waits for. Record a fresh balance first.
 */
export async function moneyFor(
  ledger: Ledger,
  batch: BatchId,
  { account, watch }: { account: AccountPolicy; watch: Pick<WatchPolicy, 'spend'> },
): Promise<Standing> {
  const now = ledger.now();
  const row = await batchRow(ledger.db, batch);
  const question = await spendQuestion(
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
  const cost = await costToday(ledger.db, row, account);
  const refusal = capRefusal({ ...question, balance, cost });
  return refusal === null ? { kind: 'enough' } : { kind: 'short', refusal, until: refusalEnds(refusal, now) };
}

export interface AccountStanding {
  /** Why its batches wait for money; null when they do not. */
  readonly parked: string | null;
  /** Why its key is not used; null when it is. */
  readonly refused: string | null;
}

export async function accountStanding(ledger: Ledger, account: AccountId): Promise<AccountStanding> {
  const row = await ledger.db.get(sql<AccountStanding>`
    SELECT parked, refused FROM ledger_accounts WHERE id = ${account}`);
  return { parked: row?.parked ?? null, refused: row?.refused ?? null };
}

/** The key was refused: nothing of the account is sent until it works again. */
export async function setRefused(db: Queryable, account: AccountId, reason: string): Promise<void> {
  await db.run(sql`UPDATE ledger_accounts SET refused = ${reason} WHERE id = ${account}`);
}

/** The money suffices again, or the key works again. */
export async function clearStanding(ledger: Ledger, account: AccountId, what: 'parked' | 'refused'): Promise<void> {
  await ledger.db.run(
    what === 'parked'
      ? sql`UPDATE ledger_accounts SET parked = NULL WHERE id = ${account}`
      : sql`UPDATE ledger_accounts SET refused = NULL WHERE id = ${account}`,
  );
}
