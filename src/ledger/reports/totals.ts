import { type Micros, micros, sumMicros, timesMicros, ZERO } from '../../../contract/money.ts';
import { SERVICE_LEVELS } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { sql } from '../../database/sql.ts';
import { notAfter } from '../../submission/clock.ts';
import type { AccountId, RunId, WatchId } from '../../submission/ids.ts';
import { selectUnknown } from '../journal/prices.ts';
import { sumCommitted, sumCountedSince, sumShown } from '../journal/sums.ts';
import { findBalance } from '../money/balance.ts';
import { type KnownPrice, listPrices } from '../money/price.ts';
import type { Ledger } from '../open-ledger.ts';
import type { PriceByService } from '../policy.ts';

/** The balance of an account, with what it does not show yet. */
export interface AccountMoney {
  readonly balance: Micros | null;
  readonly balanceAt: number | null;
  /** Reported charges since then: the balance does not show them. */
  readonly chargedSinceBalance: Micros;
  /** What may still be charged, of submissions and index-checks: planned, in flight, in doubt, or in review with a doubt. */
  readonly committed: Micros;
  /** The balance less both: what is left to spend, the floor included. Null when no balance is known. */
  readonly left: Micros | null;
}

export async function getAccountMoney(
  { db, now }: Pick<Ledger, 'db' | 'now'>,
  account: AccountId,
  configured: PriceByService,
): Promise<AccountMoney> {
  const { amount: balance, at: balanceAt } = (await findBalance(db, account)) ?? { amount: null, at: null };
  const since = balanceAt === null ? null : await sumCountedSince(db, account, balanceAt);
  const open = { account, watchId: 0, runId: null, count: 'all' } as const;
  const { account: committed } = await sumCommitted(db, open, configured);
  return {
    ...{ balance, balanceAt: notAfter(now(), balanceAt), committed, chargedSinceBalance: since?.amount ?? ZERO },
    left: balance === null ? null : micros(balance - (since?.counted ?? 0) - committed),
  };
}

/** An account's money and work, as the ledger knows them. */
export interface AccountTotals extends AccountMoney, BatchCounts {
  readonly chargedToday: Micros;
  readonly chargedThisMonth: Micros;
  readonly chargedEver: Micros;
  /** URLs whose charge nobody knows: they are bought and not in these sums. */
  readonly unknownChargeUrls: number;
  /** What the caps count for those from the next plan on: at the configured price; 0 without one. */
  readonly unknownChargeEstimate: Micros;
  readonly price: { readonly standard: KnownPrice; readonly fast: KnownPrice };
}

interface BatchCounts {
  readonly waiting: number;
  readonly inDoubt: number;
  /** Since when the oldest unknown outcome is unknown. */
  readonly oldestInDoubtAt: number | null;
  readonly open: number;
  readonly needsReview: number;
  /** Jobs that ended with URLs without a result, because something of the answer could not be read. */
  readonly unread: number;
}

export async function getAccountTotals(
  ledger: Ledger,
  account: AccountId,
  configured: PriceByService = { standard: null, fast: null },
): Promise<AccountTotals> {
  const { db } = ledger;
  const money = await getAccountMoney(ledger, account, configured);
  const charged = await sumShown(db, account, ledger.now());
  const prices = await listPrices(ledger, account, configured);
  const batches = await db.one(sql<BatchCounts>`
    SELECT coalesce(sum(CASE WHEN state = 'planned' THEN 1 ELSE 0 END), 0) AS waiting,
      coalesce(sum(CASE WHEN in_doubt_since IS NOT NULL THEN 1 ELSE 0 END), 0) AS "inDoubt",
      min(in_doubt_since) AS "oldestInDoubtAt",
      coalesce(sum(CASE WHEN state = 'accepted' AND settled_at IS NULL THEN 1 ELSE 0 END), 0) AS open,
      coalesce(sum(CASE WHEN state = 'needs_review' THEN 1 ELSE 0 END), 0) AS "needsReview",
      (SELECT count(*) FROM unread_jobs WHERE account_id = ${account}) AS unread
    FROM batches WHERE account_id = ${account}`);
  return {
    ...money,
    chargedToday: charged.day,
    chargedThisMonth: charged.month,
    chargedEver: charged.ever,
    unknownChargeUrls: charged.unpriced,
    unknownChargeEstimate: charged.unpriced === 0 ? ZERO : await estimateAtConfigured(db, account, configured),
    price: prices,
    ...batches,
  };
}

/** What charges that nobody knows will count, when the next batch is planned or sent. */
async function estimateAtConfigured(db: Queryable, account: AccountId, configured: PriceByService): Promise<Micros> {
  let estimate = ZERO;
  for (const service of SERVICE_LEVELS) {
    for (const { urls } of await db.all(selectUnknown(account, service)))
      estimate = sumMicros(estimate, timesMicros(configured[service] ?? ZERO, urls));
  }
  return estimate;
}

export interface RunLine {
  readonly run: RunId;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly endState: string | null;
  readonly complete: boolean | null;
  readonly held: boolean;
  readonly decision: string | null;
  /** Who decided, with the note; null when nobody did. */
  readonly decidedBy: string | null;
  /** Null when nobody did. */
  readonly decidedAt: number | null;
}

/** What the list of runs has of a run. */
export interface RunListRow {
  readonly name: RunId;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly end_state: string | null;
  readonly complete: number | null;
  readonly held: string | null;
  readonly decision: string | null;
}

/** The last runs of a watch, newest first. Uses runs_by_watch. */
export async function listRuns(ledger: Ledger, watch: WatchId, limit = 20): Promise<RunLine[]> {
  const rows = await ledger.db.all(sql<RunLineRow>`
    SELECT name, started_at, ended_at, end_state, complete, held, decision, decided_by, decided_at FROM runs
    WHERE watch_id = (SELECT id FROM watches WHERE name = ${watch}) ORDER BY started_at DESC, id DESC LIMIT ${limit}`);
  return rows.map(toRunLine);
}

type RunLineRow = RunListRow & { readonly decided_by: string | null; readonly decided_at: number | null };

export const toRunLine = (row: RunLineRow): RunLine => ({
  run: row.name,
  startedAt: row.started_at,
  endedAt: row.ended_at,
  endState: row.end_state,
  complete: row.complete === null ? null : row.complete === 1,
  held: row.held !== null && row.decision === null,
  decision: row.decision,
  decidedBy: row.decided_by,
  decidedAt: row.decided_at,
});
