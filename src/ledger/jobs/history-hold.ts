import { isDeepStrictEqual } from 'node:util';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import { type HistoryHold, listHeldJobs, needsRecovery } from '../../submission/history-hold.ts';
import type { AccountId, Reference, WatchId } from '../../submission/ids.ts';
import { TAG_SUFFIX_LENGTH } from '../../submission/project-tag.ts';
import type { Url } from '../../url/normalize-url.ts';
import { endStops, getHistoryHold, recordStop } from '../accounts/stops.ts';
import { lockAccount, wasOnceIn } from '../accounts/watches.ts';
import { listStoredForms, toStoredKey } from '../forgotten/stored-forms.ts';
import type { Ledger } from '../open-ledger.ts';

/**
 * Holds all spending of an account, of every run, worker and cron job on this ledger, until `releaseHistoryHold`. A hold that
 * an operator must end stays as it is.
 */
export async function holdSpending(ledger: Ledger, account: AccountId, hold: HistoryHold): Promise<void> {
  await ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    const before = await getHistoryHold(tx, account);
    if (before === null || !needsRecovery(before)) await recordHold(tx, account, hold, ledger.now());
  });
}

/** Holds the account while its history is taken in. The hold returned names the jobs for which it was held before. */
export async function beginRecovery(
  ledger: Ledger,
  account: AccountId,
): Promise<Extract<HistoryHold, { code: 'recovering' }>> {
  return ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    const hold = { code: 'recovering', references: listHeldJobs(await getHistoryHold(tx, account)) } as const;
    await recordHold(tx, account, hold, ledger.now());
    return hold;
  });
}

/** Replaces the former hold. */
const recordHold = (tx: Queryable, account: AccountId, hold: HistoryHold, at: number): Promise<void> =>
  recordStop(tx, account, { kind: 'history', at, reason: { code: 'history_hold', account, hold } });

/** Lets the account spend again, unless it is held for something else by now. Returns whether it may. */
export async function releaseHistoryHold(ledger: Ledger, account: AccountId, hold: HistoryHold): Promise<boolean> {
  return ledger.db.tx(async (tx) => {
    await lockAccount(tx, account);
    if (!isDeepStrictEqual(await getHistoryHold(tx, account), hold)) return false;
    await endStops(tx, account, 'history');
    return true;
  });
}

/**
 * When the newest job of the account that the ledger knows was accepted; null when it knows none. A time in the future is that
 * of a wrong clock. Uses batches_by_acceptance.
 */
export async function getLastAcceptance(ledger: Ledger, account: AccountId): Promise<number | null> {
  const { at } = await ledger.db.one(sql<{ at: number | null }>`
    SELECT max(accepted_at) AS at FROM batches WHERE account_id = ${account} AND accepted_at <= ${ledger.now()}`);
  return at;
}

/** For the reference of a row `r`. Uses batches_by_reference. */
const isUnknownTo = (account: AccountId): Query => sql`
  NOT EXISTS (SELECT 1 FROM batches AS b WHERE b.account_id = ${account} AND b.reference = r.reference)
  AND NOT EXISTS (SELECT 1 FROM foreign_jobs AS f WHERE f.account_id = ${account} AND f.reference = r.reference)`;

/** Jobs of the service that the ledger neither has nor recorded as foreign. Uses batches_by_reference. */
export async function selectUnknown(
  ledger: Ledger,
  account: AccountId,
  references: readonly Reference[],
): Promise<ReadonlySet<Reference>> {
  const listed = toRows(
    { reference: 'text' },
    references.map((reference): Row => [reference]),
  );
  const rows = await ledger.db.all(sql<{ reference: Reference }>`
    SELECT r.reference FROM ${listed} AS r
    WHERE ${isUnknownTo(account)}`);
  return new Set(rows.map(({ reference }) => reference));
}

/** Jobs of the account that a ledger lacks which has recorded them: it is an older copy. By the keys of their batches. */
export async function selectLost(
  ledger: Ledger,
  account: AccountId,
  jobs: readonly { readonly reference: Reference; readonly key: string }[],
): Promise<readonly Reference[]> {
  if (jobs.length === 0) return [];
  const accepted = toRows(
    { reference: 'text', key: 'text' },
    jobs.map(({ reference, key }): Row => [reference, key]),
  );
  // A batch without an answer is sent again with its key, or looked up: it is not bought a second time.
  const rows = await ledger.db.all(sql<{ reference: Reference }>`
    SELECT r.reference FROM ${accepted} AS r
    WHERE ${isUnknownTo(account)}
      AND NOT EXISTS (SELECT 1 FROM batches AS b WHERE b.idempotency_key = r.key AND b.reference IS NULL)`);
  return rows.map(({ reference }) => reference);
}

/** Jobs of the account that are not this ledger's: they hold nothing back and are never taken in. */
export async function recordForeignJobs(
  ledger: Ledger,
  account: AccountId,
  references: readonly Reference[],
): Promise<void> {
  for (const reference of references) {
    await ledger.db.run(sql`
      INSERT INTO foreign_jobs (account_id, reference, at) VALUES (${account}, ${reference}, ${ledger.now()})
      ON CONFLICT (account_id, reference) DO NOTHING`);
  }
}

/** Whether a watch that is or was in the account has one of these URLs, however the service spells it. Uses urls_by_fp. */
export async function hasUrlOf(ledger: Ledger, account: AccountId, urls: readonly Url[]): Promise<boolean> {
  const keys = urls.flatMap((url) => listStoredForms(url).map((form): Row => [toStoredKey(form, ledger.seed), form]));
  const row = await ledger.db.get(sql`
    SELECT 1 FROM ${toRows({ fp: 'bigint', url: 'text' }, keys)} AS r CROSS JOIN urls AS u CROSS JOIN watches AS w
    WHERE u.fp = r.fp AND u.url = r.url AND w.id = u.watch_id AND ${wasOnceIn(account)} LIMIT 1`);
  return row !== undefined;
}

/** The project of the row `b` of a batch, without its tag. */
const UNTAGGED_PROJECT = sql`
  CASE WHEN b.tag IS NOT NULL AND b.normalized_project = b.project
    THEN substr(b.project, 1, length(b.project) - ${TAG_SUFFIX_LENGTH}) ELSE b.normalized_project END`;

/**
 * The projects under which the ledger has batches in the account, without tags: also those of watches that are no longer
 * configured. Reads every batch of the account. A recovered job has its project as the service shows it.
 */
export async function listProjects(ledger: Ledger, account: AccountId): Promise<readonly string[]> {
  const rows = await ledger.db.all(sql<{ project: string }>`
    SELECT DISTINCT ${UNTAGGED_PROJECT} AS project FROM batches AS b WHERE b.account_id = ${account}`);
  return rows.map(({ project }) => project);
}

export interface ProjectOfWatch {
  readonly project: string;
  readonly watch: WatchId;
}

/** The same projects, each with every watch that has batches under it. */
export function listProjectsOfWatches(ledger: Ledger, account: AccountId): Promise<readonly ProjectOfWatch[]> {
  return ledger.db.all(sql<ProjectOfWatch>`
    SELECT DISTINCT ${UNTAGGED_PROJECT} AS project, w.name AS watch
    FROM batches AS b JOIN watches AS w ON w.id = b.watch_id WHERE b.account_id = ${account}`);
}
