import { LIMITS } from '../../../contract/limits.ts';
import { INDEX_CHECK_PRICE, type Micros, timesMicros } from '../../../contract/money.ts';
import type { Queryable } from '../../database/database.ts';
import { insertRows, type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import { type CapRefusal, type SpendQuestion, urlsAllowed } from '../../submission/caps.ts';
import type { IndexCheckPolicy } from '../../submission/check-schedule.ts';
import { findWaitEnd } from '../../submission/clock.ts';
import { computeDigest, freezeCheck } from '../../submission/freeze.ts';
import { describeHistoryHold } from '../../submission/history-hold.ts';
import type { IdempotencyKey, WatchId } from '../../submission/ids.ts';
import type { Reason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import { getHistoryHold } from '../accounts/stops.ts';
import { ensureWatch, findWatch, lockAccount } from '../accounts/watches.ts';
import { getRefusalEnd } from '../money/refusal-end.ts';
import { buildSpendQuestion } from '../money/spend-question.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy, WatchPolicy } from '../policy.ts';
import { followState } from '../purchases/follow-state.ts';
import { type CheckRow, deferChecks, findOpenCheck, listDueChecks } from './check-queue.ts';
import { decideCheckRoom } from './check-room.ts';
import { closeExpiredChecks } from './close-expired-checks.ts';
import { cancelCheck, stopCheck } from './record-check.ts';
import { beginAttempt } from './transitions.ts';

export type Checking =
  /** Send exactly this to the index-check, then `recordCheck` with the same `attempt`. */
  | {
      readonly kind: 'send';
      readonly check: number;
      readonly attempt: number;
      readonly key: IdempotencyKey;
      readonly body: string;
      readonly urls: readonly Url[];
      readonly expectedCost: Micros;
      readonly inDoubt: boolean;
    }
  /** Nothing is due. */
  | { readonly kind: 'idle' }
  /** Checks resume automatically at that time, or when the hold of the account ends. */
  | { readonly kind: 'stopped'; readonly reason: string; readonly until: number | null }
  | { readonly kind: 'not-allowed'; readonly refusal: CapRefusal; readonly until: number | null }
  | { readonly kind: 'wait'; readonly until: number };

export interface CheckInput {
  readonly account: AccountPolicy;
  readonly watch: WatchId;
  /** The caps of the watch. That of a run is for submissions. */
  readonly spend: WatchPolicy['spend'];
  readonly policy: IndexCheckPolicy;
}

/**
 * Begins the next index-check of a watch: the open one, with the same bytes and key, else the due URLs, at most 50, as
 * many as the budgets allow. A check is planned, counted against the caps and recorded before it is sent.
 */
export async function beginCheck(ledger: Ledger, input: CheckInput): Promise<Checking> {
  const { account, watch, policy } = input;
  const now = ledger.now();
  const known = await findWatch(ledger.db, watch);
  if (known !== null) await deferChecks(ledger.db, known, policy, now);
  return ledger.db.tx(async (tx): Promise<Checking> => {
    await lockAccount(tx, account.id);
    const hold = await getHistoryHold(tx, account.id);
    if (hold !== null) return { kind: 'stopped', reason: describeHistoryHold(account.id, hold), until: null };
    const watchId = await ensureWatch(tx, watch, account.id);
    await closeExpiredChecks(tx, account, now);
    let open = await findOpenCheck(tx, watchId);
    if (open !== undefined && !isOf(open, account, watch)) {
      // Sent again with another account's key, it would be charged a second time.
      const inDoubt = open.in_doubt_since !== null;
      const reason: Reason = { code: 'check_of_other_account', inDoubt };
      if (inDoubt) await stopCheck(tx, now, open, { reason, charged: true });
      else await cancelCheck(tx, now, open, reason);
      open = undefined;
    }
    const waitsUntil = open === undefined ? null : findWaitEnd(open, now);
    if (waitsUntil !== null) return { kind: 'wait', until: waitsUntil };
    const questions = await askCaps(tx, input, watchId, open, now);
    if (open !== undefined) {
      const { refusal } = checksAllowed(questions, open.urls);
      if (refusal !== null && open.in_doubt_since !== null) {
        return { kind: 'not-allowed', refusal, until: getRefusalEnd(refusal, now) };
      }
      if (refusal !== null) {
        // It was never sent: a smaller check replaces it.
        await cancelCheck(tx, now, open, refusal.stored);
        open = undefined;
      }
    }
    if (open === undefined) {
      const planned = await planCheck(tx, now, input, watchId, questions);
      if (planned.kind !== 'planned') return planned;
      open = planned.check;
    }
    if (computeDigest(open.body) !== open.digest) {
      const reason: Reason = { code: 'check_body_damaged' };
      await stopCheck(tx, now, open, { reason, charged: open.in_doubt_since !== null });
      return { kind: 'idle' };
    }
    await beginAttempt(tx, open, now);
    return {
      kind: 'send',
      check: open.id,
      attempt: open.attempts + 1,
      key: open.idempotency_key,
      body: open.body,
      urls: (JSON.parse(open.body) as { urls: Url[] }).urls,
      expectedCost: open.expected_cost,
      inDoubt: open.in_doubt_since !== null,
    };
  });
}

type Questions = readonly Omit<SpendQuestion, 'cost'>[];

/** The caps of the watch and of the account, which count submissions as well; and the budget of the watch for its checks. */
async function askCaps(
  tx: Queryable,
  { account, spend, policy }: CheckInput,
  watchId: number,
  open: CheckRow | undefined,
  now: number,
): Promise<Questions> {
  const except = open === undefined ? undefined : ({ kind: 'check', id: open.id } as const);
  const scope = { watchId, runId: null, count: 'all', except, sendsNow: true } as const;
  const ofChecks = { perRun: null, perDay: policy.perDay, perMonth: null };
  return [
    await buildSpendQuestion(tx, account, { ...spend, perRun: null }, scope, now),
    await buildSpendQuestion(tx, account, ofChecks, { ...scope, ofChecks: true }, now),
  ];
}

/** How many URLs all of them allow to check, and what refuses the next one. */
function checksAllowed(questions: Questions, wanted: number): ReturnType<typeof urlsAllowed> {
  const answers = questions.map((question) => urlsAllowed(question, INDEX_CHECK_PRICE, wanted));
  return answers.reduce((least, each) => (each.urls < least.urls ? each : least));
}

type Planned =
  | { readonly kind: 'planned'; readonly check: CheckRow }
  | Extract<Checking, { readonly kind: 'idle' | 'not-allowed' | 'stopped' }>;

async function planCheck(
  tx: Queryable,
  now: number,
  { account, watch, policy }: CheckInput,
  watchId: number,
  questions: Questions,
): Promise<Planned> {
  const waiting = await listDueChecks(tx, watchId, policy, now, LIMITS.indexCheckUrls);
  if (waiting.length === 0) return { kind: 'idle' };
  const room = await decideCheckRoom(tx, watchId, now);
  if (room.kind === 'stopped') return room;
  const due = waiting.slice(0, room.urls);
  const { urls: allowed, refusal } = checksAllowed(questions, due.length);
  if (allowed === 0 && refusal !== null) return { kind: 'not-allowed', refusal, until: getRefusalEnd(refusal, now) };
  const urls = due.slice(0, allowed);
  const last = await tx.get(sql<{ round: number | null }>`
    SELECT max(round) AS round FROM checks WHERE watch_id = ${watchId}`);
  const round = (last?.round ?? 0) + 1;
  const frozen = freezeCheck({
    baseUrl: account.baseUrl,
    account: account.id,
    watch,
    round,
    urls: urls.map(({ url }) => url),
  });
  const cost = timesMicros(INDEX_CHECK_PRICE, urls.length);
  const check = await tx.one(sql<CheckRow>`
    INSERT INTO checks (account_id, watch_id, round, idempotency_key, digest, body, urls, expected_cost, state,
      every_ms, planned_at)
    VALUES (${account.id}, ${watchId}, ${round}, ${frozen.key}, ${frozen.digest}, ${frozen.body}, ${urls.length},
      ${cost}, 'planned', ${policy.everyMs}, ${now})
    RETURNING *`);
  await followState(tx, { kind: 'check', id: check.id }, now);
  const columns = { check_id: 'bigint', position: 'bigint', url_id: 'bigint' } as const;
  await insertRows(
    tx,
    'check_urls',
    columns,
    urls.map(({ id }, position): Row => [check.id, position, id]),
  );
  const ids = urls.map(({ id }): Row => [id]);
  await tx.run(sql`
    UPDATE check_queue SET check_id = ${check.id}
    WHERE url_id IN (SELECT id FROM ${toRows({ id: 'bigint' }, ids)} AS r)`);
  return { kind: 'planned', check };
}

/** Whether the check was planned for this account at this address: its key says so. */
function isOf(check: CheckRow, account: AccountPolicy, watch: WatchId): boolean {
  const { urls } = JSON.parse(check.body) as { urls: Url[] };
  const { key } = freezeCheck({ baseUrl: account.baseUrl, account: account.id, watch, round: check.round, urls });
  return check.account_id === account.id && key === check.idempotency_key;
}
