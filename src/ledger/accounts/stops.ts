import type { Queryable } from '../../database/database.ts';
import { eachText, sql } from '../../database/sql.ts';
import type { HistoryHold } from '../../submission/history-hold.ts';
import type { AccountId } from '../../submission/ids.ts';
import { parseReason, type Reason, type StoredReason, toStoredReason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';

/** Why an account sends nothing, by what ends it. A purchase that lacks money stops no account. */
interface StopReasons {
  /** The ledger may lack purchases. The service ends it where its list could not be read, else `courier recover` does. */
  readonly history: Extract<Reason, { code: 'history_hold' }>;
  /** The service rejects the key, until it answers a request with it. */
  readonly key: Reason;
  /** The key belongs to another account, until the service shows the recorded one. */
  readonly identity: Extract<Reason, { code: 'other_account' }>;
  /** Batches refused alike in a row: from `until` on one batch is tried. Not a stop before there is a time. */
  readonly refusals: Extract<Reason, { code: 'requests_refused' }>;
  /** The service has not answered yet since a process began: it is asked again at `until`. */
  readonly unanswered: Extract<Reason, { code: 'unanswered' }>;
}

export type StopKind = keyof StopReasons;

export interface Stop<Kind extends StopKind> {
  readonly since: number;
  readonly until: number | null;
  readonly reason: StopReasons[Kind];
  /** What it was counted from, as JSON; null where nothing is counted. */
  readonly counted: string | null;
}

/** All that stops an account. */
export type Stops = { readonly [Kind in StopKind]?: Stop<Kind> };

export async function listStops(db: Queryable, account: AccountId): Promise<Stops> {
  const rows = await db.all(sql<Omit<Stop<StopKind>, 'reason'> & StoredReason & { readonly kind: StopKind }>`
    SELECT kind, since, until, reason_code, reason_params, counted FROM account_stops WHERE account_id = ${account}`);
  return Object.fromEntries(
    rows.map(({ kind, since, until, counted, ...reason }) => [
      kind,
      { since, until, counted, reason: parseReason(reason) },
    ]),
  );
}

export const findStop = async <Kind extends StopKind>(
  db: Queryable,
  account: AccountId,
  kind: Kind,
): Promise<NonNullable<Stops[Kind]> | null> => (await listStops(db, account))[kind] ?? null;

type NewStop = {
  [Kind in StopKind]: {
    readonly kind: Kind;
    readonly at: number;
    readonly reason: StopReasons[Kind];
    readonly until?: number | null;
    readonly counted?: string;
  };
}[StopKind];

/** One that is there already lasts since it began. */
export async function recordStop(db: Queryable, account: AccountId, stop: NewStop): Promise<void> {
  const { kind, at, until = null, counted = null } = stop;
  const { reason_code, reason_params } = toStoredReason(stop.reason);
  await db.run(sql`
    INSERT INTO account_stops (account_id, kind, since, until, reason_code, reason_params, counted)
    VALUES (${account}, ${kind}, ${at}, ${until}, ${reason_code}, ${reason_params}, ${counted})
    ON CONFLICT (account_id, kind) DO UPDATE SET until = excluded.until, reason_code = excluded.reason_code,
      reason_params = excluded.reason_params, counted = excluded.counted`);
}

/** Another time for a stop that is there; returns whether it is. */
export async function postponeStop(db: Queryable, account: AccountId, kind: StopKind, until: number): Promise<boolean> {
  const { changes } = await db.run(sql`
    UPDATE account_stops SET until = ${until} WHERE account_id = ${account} AND kind = ${kind}`);
  return changes === 1;
}

export async function endStops(db: Queryable, account: AccountId, ...kinds: readonly StopKind[]): Promise<void> {
  await db.run(sql`
    DELETE FROM account_stops
    WHERE account_id = ${account} AND kind IN (SELECT value FROM ${eachText(kinds)} AS ended)`);
}

/** The hold on an account's spending; null without one. */
export const getHistoryHold = async (db: Queryable, account: AccountId): Promise<HistoryHold | null> =>
  (await findStop(db, account, 'history'))?.reason.hold ?? null;

/** The stop of an account whose last batches were refused alike; null when it may send. */
export const getRefusalStop = async (db: Queryable, account: AccountId) => toRefusalStop(await listStops(db, account));

export function toRefusalStop({ refusals }: Stops) {
  if (refusals === undefined || refusals.until === null) return null;
  return { until: refusals.until, reason: { ...refusals.reason, until: refusals.until } };
}

/** What the service answered before the first purchase. `limited`: no request was allowed, so the last answer still stands. */
export async function recordUnanswered(
  { db, now }: Pick<Ledger, 'db' | 'now'>,
  account: AccountId,
  { why, limited, waitMs }: { readonly why: string; readonly limited: boolean; readonly waitMs: number },
): Promise<void> {
  const at = now();
  const until = at + waitMs;
  if (limited && (await postponeStop(db, account, 'unanswered', until))) return;
  await recordStop(db, account, { kind: 'unanswered', at, until, reason: { code: 'unanswered', text: why, at } });
}
