import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';
import { computeRefusalWait, isRefusalOfAll } from '../../submission/refusal-stop.ts';
import { endStops, findStop, getRefusalStop, recordStop } from '../accounts/stops.ts';
import { lockAccount } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import type { BatchRow } from './batch-queries.ts';
import { dissolveBatch } from './cancel-batch.ts';
import { selectRoot } from './family.ts';
import { returnFromReview } from './transitions.ts';

/**
 * Counts a batch that the service refused for a reason other than its URLs. Batches refused alike in a row, with none
 * accepted in between, stop the account: it sends one batch at the time of the next attempt, and all of them once that
 * is accepted. Those that were refused alone go back to the others that wait. Returns why the account stops; null where it does not.
 */
export async function countRefusal(
  tx: Queryable,
  now: number,
  row: Pick<BatchRow, 'id' | 'account_id' | 'parent_id'>,
  { status, text }: { readonly status: number; readonly text: string },
): Promise<Reason | null> {
  const account = row.account_id;
  const { id: root } = await tx.one(selectRoot(row.id));
  const before = await findStop(tx, account, 'refusals');
  const same = before?.reason.status === status ? before : null;
  const known = JSON.parse(same?.counted ?? '[]') as BatchId[];
  // The parts of one batch are refused for one reason. A probe counts, whatever batch it sends.
  if (same?.until == null && known.includes(root)) return null;
  const refusals = (same?.reason.batches ?? 0) + 1;
  const until = isRefusalOfAll(refusals) ? now + computeRefusalWait(refusals) : null;
  const reason: Reason = { code: 'requests_refused', account, status, batches: refusals, text, until: until ?? 0 };
  // A batch and its parts count once.
  const counted = JSON.stringify(until === null ? [...known, root] : []);
  await recordStop(tx, account, { kind: 'refusals', at: now, until, reason, counted });
  if (until === null) return null;
  for (const batch of known) await returnFromReview(tx, batch, now, { code: 'refused_with_others', status });
  return reason;
}

export interface Resumed {
  /** False: the account was not stopped, and nothing was changed. */
  readonly stopped: boolean;
  /** Batches that wait to be sent, or that were taken back. */
  readonly batches: number;
}

/**
 * An operator has corrected the cause: what waits is sent at once, as it is. `release` takes it back instead, where a
 * setting that is part of the request was wrong: the URLs are due again, and the next run plans them by the settings of
 * that time. A batch in doubt is not taken back.
 */
export async function resumeRefused(
  ledger: Ledger,
  account: AccountId,
  { release, by }: { readonly release: boolean; readonly by: string },
): Promise<Resumed> {
  return ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    if ((await getRefusalStop(tx, account)) === null) return { stopped: false, batches: 0 };
    await endStops(tx, account, 'refusals');
    const waiting = await tx.all(sql<Pick<BatchRow, 'id' | 'in_doubt_since'>>`
      SELECT id, in_doubt_since FROM batches WHERE account_id = ${account} AND state IN ('planned', 'sending') ORDER BY id`);
    if (!release) return { stopped: true, batches: waiting.length };
    const certain = waiting.filter(({ in_doubt_since }) => in_doubt_since === null);
    for (const row of certain) await dissolveBatch(tx, row, ledger.now(), { code: 'cancelled', by });
    return { stopped: true, batches: certain.length };
  });
}
