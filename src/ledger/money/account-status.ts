import type { Queryable } from '../../database/database.ts';
import { eachText, sql } from '../../database/sql.ts';
import { needsRecovery } from '../../submission/history-hold.ts';
import type { AccountId } from '../../submission/ids.ts';
import {
  getMoneyRefusal,
  MONEY_REASONS,
  parseReason,
  type Reason,
  renderReason,
  type StoredReason,
  WAITS_FOR_MONEY,
} from '../../submission/reason.ts';
import { listStops, type Stops, toRefusalStop } from '../accounts/stops.ts';
import { lockAccount } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import type { AccountPolicy } from '../policy.ts';
import { assignWait } from '../waits.ts';
import { findOtherService } from './account.ts';

/** Why an account sends nothing. */
export interface AccountStatus {
  /** Why its batches wait for money, or why all of it is held or refused; null when nothing of that is so. */
  readonly suspended: Reason | null;
  /** Why its key is not used; null when it is. */
  readonly keyRejected: Reason | null;
}

/** In which currency the service charged last, where that is not the lira. */
export async function getOtherCurrency({ db }: Ledger, account: AccountId): Promise<string | null> {
  const row = await db.get(sql<{ other_currency: string | null }>`
    SELECT other_currency FROM ledger_accounts WHERE id = ${account}`);
  return row?.other_currency ?? null;
}

/** The currency of an acceptance; null: the lira, or none was named. */
export async function recordCurrency(tx: Queryable, account: AccountId, currency: string | null): Promise<void> {
  await tx.run(sql`
    UPDATE ledger_accounts SET other_currency = ${currency}
    WHERE id = ${account} AND other_currency IS DISTINCT FROM ${currency}`);
}

export const getAccountStatus = async ({ db }: Ledger, account: AccountId): Promise<AccountStatus> =>
  readStatus(db, account, await listStops(db, account));

async function readStatus(db: Queryable, account: AccountId, stops: Stops): Promise<AccountStatus> {
  const keyRejected = stops.key?.reason ?? null;
  // A hold stops everything, before anything is planned. What else stops or lacks money matters only to what waits.
  if (stops.history !== undefined) return { suspended: stops.history.reason, keyRejected };
  const waiting = await listWaitingReasons(db, account);
  if (waiting.length === 0) return { suspended: null, keyRejected };
  return { suspended: toRefusalStop(stops)?.reason ?? findWantOfMoney(waiting), keyRejected };
}

type Configured = Pick<AccountPolicy, 'id' | 'baseUrl'>;

/**
 * The same, as it is configured now. Another service or another account of it comes first: until the configuration is
 * corrected, nothing else of the account can be tried.
 */
export async function getStatusAsConfigured({ db }: Ledger, account: Configured): Promise<AccountStatus> {
  const stops = await listStops(db, account.id);
  const status = await readStatus(db, account.id, stops);
  return { ...status, suspended: (await toOtherAccount(db, account, stops)) ?? status.suspended };
}

/** That the configured account is not the one that the ledger's jobs and charges belong to. Writes nothing. */
export const findOtherAccount = async (db: Queryable, account: Configured): Promise<Reason | null> =>
  toOtherAccount(db, account, await listStops(db, account.id));

async function toOtherAccount(db: Queryable, { id, baseUrl }: Configured, { identity }: Stops): Promise<Reason | null> {
  const recorded = await findOtherService(db, { id, baseUrl });
  if (recorded !== null) return { code: 'other_service', account: id, recorded, configured: baseUrl };
  return identity?.reason ?? null;
}

/**
 * Why the account sends nothing, where the service alone can end that: the key is accepted again, or the list of jobs can be
 * read. Null without such a reason. Somebody has to ask the service, also while nothing waits to be sent.
 */
export async function findPassingStop(
  { db }: Ledger,
  account: AccountId,
): Promise<{ readonly kind: 'key_rejected' | 'suspended'; readonly reason: string } | null> {
  const { key, history: hold } = await listStops(db, account);
  if (key !== undefined) return { kind: 'key_rejected', reason: renderReason(key.reason) };
  if (hold === undefined || needsRecovery(hold.reason.hold)) return null;
  return { kind: 'suspended', reason: renderReason(hold.reason) };
}

/** Batches that are looked at: a queue this long has been waiting for what its first batches wait for. */
const MOST_WAITING = 10_000;

/** Each reason with which the first batches wait, once, in the order of the batches. Uses batches_waiting. */
const listWaitingReasons = (db: Queryable, account: AccountId): Promise<StoredReason[]> =>
  db.all(sql<StoredReason>`
    SELECT reason_code, reason_params FROM (
      SELECT id, reason_code, reason_params FROM batches
      WHERE account_id = ${account} AND state IN ('planned', 'sending') ORDER BY id LIMIT ${MOST_WAITING}) AS waiting
    GROUP BY reason_code, reason_params ORDER BY min(id)`);

/** One batch may wait for money although a smaller one was accepted since, or although the list cannot be read now. */
function findWantOfMoney(waiting: readonly StoredReason[]): Reason | null {
  const reasons = waiting.flatMap((stored) => parseReason(stored) ?? []);
  const short = reasons.find(({ code }) => WAITS_FOR_MONEY.some((each) => each === code));
  const text = reasons.map(getMoneyRefusal).find((refused) => refused !== undefined);
  return short ?? (text === undefined ? null : { code: 'insufficient_balance', text });
}

/** The balance may suffice by now: batches that waited for money are tried again at once. */
export async function retryUnfunded({ db }: Ledger, account: AccountId): Promise<void> {
  await db.tx(async (tx) => {
    await lockAccount(tx, account);
    await tx.run(sql`
      UPDATE batches SET ${assignWait(null)} WHERE account_id = ${account} AND state IN ('planned', 'sending')
        AND reason_code IN (SELECT value FROM ${eachText(MONEY_REASONS)} AS reasons)`);
  });
}
