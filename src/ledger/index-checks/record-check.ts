import { INDEX_CHECK_PRICE, type Micros, timesMicros, ZERO } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import { type CheckPolicy, nextCheckAt, resubmissionDue } from '../../submission/check-schedule.ts';
import type { Checked } from '../../submission/outcome.ts';
import { type Reason, renderStoredReason } from '../../submission/reason.ts';
import type { Refusal } from '../../submission/refusal.ts';
import { endStops, recordStop } from '../accounts/stops.ts';
import { lockAccount } from '../accounts/watches.ts';
import { getChargeDay } from '../journal/days.ts';
import { assumeCharged, bookPurchase } from '../journal/open-money.ts';
import { LedgerError } from '../ledger-error.ts';
import { setBalance } from '../money/balance.ts';
import type { Ledger } from '../open-ledger.ts';
import { toPurchase } from '../purchases/follow-state.ts';
import { type CheckRow, type QueueRow, toCheckHistory } from './check-queue.ts';
import { complete, giveUp, putBack } from './transitions.ts';

export interface CheckAnswer {
  /** As `beginCheck` numbered it. */
  readonly attempt: number;
  /** From `decideCheckOutcome`. */
  readonly outcome: Checked | Refusal;
  readonly requestId: string | null;
  readonly backoffMs?: number;
}

export type CheckRecorded =
  | { readonly kind: 'checked'; readonly urls: number; readonly found: number; readonly charged: Micros }
  | { readonly kind: 'retry'; readonly notBefore: number }
  | { readonly kind: 'suspended'; readonly reason: string }
  | { readonly kind: 'key_rejected'; readonly reason: string }
  /** Not charged; its URLs are checked again in smaller checks, without the named ones. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The charge is unknown and counts as charged; its URLs are due again on their schedule. */
  | { readonly kind: 'stopped'; readonly reason: string };

/** Records the outcome of an index-check once: a result for each URL, and the charge. */
export async function recordCheck(
  ledger: Ledger,
  check: number,
  answer: CheckAnswer,
  policy: CheckPolicy,
): Promise<CheckRecorded> {
  const now = ledger.now();
  const before = await checkRow(ledger.db, check);
  return ledger.db.tx(async (tx): Promise<CheckRecorded> => {
    await lockAccount(tx, before.account_id);
    const row = await checkRow(tx, check);
    const { outcome } = answer;
    if (row.state === 'done') {
      return { kind: 'checked', urls: row.urls, found: row.found ?? 0, charged: row.charge ?? ZERO };
    }
    if (outcome.kind === 'checked') return recordResults(tx, now, row, outcome, answer.requestId, policy);
    if (row.state !== 'sending') return { kind: 'refused', reason: renderStoredReason(row) ?? '' };
    const late = answer.attempt !== row.attempts;
    const certain = outcome.chargeState === 'none' && row.attempts === 1 && !late;
    // biome-ignore lint/nursery/useExhaustiveSwitchCases: what returned above is not among the cases, as the compiler sees.
    switch (outcome.kind) {
      case 'retry': {
        const notBefore = now + (outcome.retryAfterMs ?? answer.backoffMs ?? 0);
        await putBack(tx, row, now, { certain, wait: { since: now, until: notBefore }, reason: toReason(outcome) });
        return { kind: 'retry', notBefore };
      }
      case 'suspend':
        await putBack(tx, row, now, { certain, wait: null, reason: toReason(outcome) });
        return { kind: 'suspended', reason: outcome.message };
      case 'reject_key':
        await putBack(tx, row, now, { certain, wait: null, reason: toReason(outcome) });
        await recordStop(tx, row.account_id, { kind: 'key', at: now, reason: toReason(outcome) });
        return { kind: 'key_rejected', reason: outcome.message };
      case 'split':
      case 'quarantine':
        return refuse(tx, now, row, outcome, policy);
      case 'conflict':
      case 'defect':
        await stopCheck(tx, now, row, { reason: toReason(outcome), charged: !certain });
        return { kind: 'stopped', reason: outcome.message };
    }
  });
}

async function checkRow(db: Queryable, check: number): Promise<CheckRow> {
  const row = await db.get(sql<CheckRow>`SELECT * FROM checks WHERE id = ${check}`);
  if (row !== undefined) return row;
  throw new LedgerError('UNKNOWN_CHECK', `The ledger has no index-check ${check}. Nothing was sent or changed.`);
}

const toReason = ({ kind, message }: Refusal): Reason => ({ code: 'answer', outcome: kind, text: message });

/**
 * What an answer says that the check cost; null: nothing that can be so. The price is the specification's (4.8 rule 1): ten times
 * as much is misread or wrong, and the price of one URL, for several, is that price under another name.
 */
function readCharge({ urls, expected_cost: expected }: CheckRow, charged: Micros | null): Micros | null {
  if (charged === null || charged <= 0 || charged > 10 * expected) return null;
  return urls > 1 && charged === INDEX_CHECK_PRICE ? expected : charged;
}

async function recordResults(
  tx: Queryable,
  now: number,
  row: CheckRow,
  outcome: Checked,
  requestId: string | null,
  policy: CheckPolicy,
): Promise<CheckRecorded> {
  const shown = readCharge(row, outcome.charged);
  const charged = shown ?? row.expected_cost;
  const verdictCount = outcome.results.filter(({ verdict }) => verdict !== 'unknown').length;
  await bookPurchase(tx, toPurchase({ kind: 'check', id: row.id }, row), {
    to: shown === null ? 'assumed' : 'charged',
    amount: charged,
    // Without one readable verdict nothing says which URLs were checked: all that were asked for.
    atLeast: timesMicros(INDEX_CHECK_PRICE, verdictCount === 0 ? row.urls : Math.min(verdictCount, row.urls)),
    urls: row.urls,
    day: getChargeDay({ createdAt: null, sentAt: row.in_doubt_since, attempts: row.attempts }, now),
    at: now,
  });
  await endStops(tx, row.account_id, 'key');
  if (outcome.balance !== null) await setBalance(tx, row.account_id, outcome.balance, now);
  const queued = await tx.all(sql<QueueRow & { position: number }>`
    SELECT m.position, u.id, u.url, q.completed_at, q.checks, q.misses, q.last_check_at, q.found_at, q.resubmitted
    FROM check_urls AS m JOIN urls AS u ON u.id = m.url_id JOIN check_queue AS q ON q.url_id = u.id
    WHERE m.check_id = ${row.id} ORDER BY m.position`);
  const verdicts = new Map(outcome.results.map((result) => [result.url, result]));
  let found = 0;
  const series: Row[] = [];
  const queue: Row[] = [];
  const again: Row[] = [];
  for (const each of queued) {
    const verdict = verdicts.get(each.url);
    const result = verdict?.verdict ?? 'unknown';
    if (result === 'found') found += 1;
    const after: QueueRow = {
      ...each,
      last_check_at: now,
      found_at: result === 'found' ? now : result === 'not-found' ? null : each.found_at,
      misses: result === 'found' ? 0 : result === 'not-found' ? each.misses + 1 : each.misses,
    };
    const history = toCheckHistory(after);
    const resubmit = resubmissionDue(history, each.resubmitted === 1, policy);
    if (resubmit) again.push([each.id]);
    series.push([each.position, result, verdict?.statusName ?? null]);
    queue.push([each.id, nextCheckAt(history, policy), after.found_at, after.misses, resubmit ? 1 : each.resubmitted]);
  }
  await tx.run(sql`
    UPDATE check_urls SET result = r.result, detail = r.detail, at = ${now}
    FROM ${toRows({ position: 'bigint', result: 'text', detail: 'text' }, series)} AS r
    WHERE check_urls.check_id = ${row.id} AND check_urls.position = r.position`);
  const columns = {
    id: 'bigint',
    next_at: 'bigint',
    found_at: 'bigint',
    misses: 'bigint',
    resubmitted: 'bigint',
  } as const;
  await tx.run(sql`
    UPDATE check_queue SET check_id = NULL, checks = checks + 1, last_check_at = ${now}, next_at = r.next_at,
      found_at = r.found_at, misses = r.misses, resubmitted = r.resubmitted
    FROM ${toRows(columns, queue)} AS r WHERE check_queue.url_id = r.id`);
  await tx.run(sql`
    UPDATE urls SET due = 'not-found', due_at = NULL WHERE due IS NULL AND state = 'completed'
      AND id IN (SELECT id FROM ${toRows({ id: 'bigint' }, again)} AS r)`);
  await complete(tx, row, now, [
    sql`found = ${found}`,
    sql`usable = ${outcome.usable ? 1 : 0}`,
    sql`charge = ${charged}`,
    sql`request_id = ${requestId}`,
  ]);
  return { kind: 'checked', urls: row.urls, found, charged };
}

/** A rejected URL is tried again after this long: the cause may have been the service. */
const REJECTED_AGAIN_MS = 30 * 86_400_000;

/** Not charged: the URLs go back to the queue. A URL that was named, or was alone, waits for a month. */
async function refuse(
  tx: Queryable,
  now: number,
  row: CheckRow,
  outcome: Extract<Refusal, { kind: 'split' | 'quarantine' }>,
  { everyMs }: CheckPolicy,
): Promise<CheckRecorded> {
  const named = outcome.kind === 'quarantine' ? outcome.rejected.map(({ url }): Row => [url]) : [];
  await tx.run(sql`
    UPDATE check_queue SET next_at = ${now + Math.max(everyMs, REJECTED_AGAIN_MS)}
    WHERE check_id = ${row.id} AND url_id IN (
      SELECT u.id FROM urls AS u JOIN ${toRows({ url: 'text' }, named)} AS r ON r.url = u.url
      WHERE u.id IN (SELECT url_id FROM check_urls WHERE check_id = ${row.id}))`);
  await giveUp(tx, row, now, 'refused', { reason: toReason(outcome) });
  return { kind: 'refused', reason: outcome.message };
}

/**
 * Ends a check that is never sent again. An unknown charge counts as charged, so that the budgets hold. Its URLs are due
 * again on their schedule.
 */
export async function stopCheck(
  tx: Queryable,
  now: number,
  row: CheckRow,
  { reason, charged, lastSentAt }: { reason: Reason; charged: boolean; lastSentAt?: number },
): Promise<void> {
  const times = { createdAt: null, sentAt: row.in_doubt_since, attempts: row.attempts, lastSentAt };
  const day = getChargeDay(times, now);
  if (charged)
    await assumeCharged(tx, toPurchase({ kind: 'check', id: row.id }, row), { urls: row.urls, day, at: now });
  await giveUp(tx, row, now, 'stopped', { reason, nextAt: now + row.every_ms });
}

/** Takes back a check that was never sent: its URLs stay due. */
export const cancelCheck = (tx: Queryable, now: number, row: CheckRow, reason: Reason): Promise<void> =>
  giveUp(tx, row, now, 'cancelled', { reason });
