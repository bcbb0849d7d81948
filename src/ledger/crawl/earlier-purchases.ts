import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import type { WatchId } from '../../submission/ids.ts';
import { lockAccount } from '../accounts/watches.ts';
import { restoreForgotten } from '../forgotten/restore-forgotten.ts';
import type { Ledger } from '../open-ledger.ts';
import { DUE_PAGE, type DueRow, eachDuePage } from '../pages/due.ts';
import { toUrlKey } from '../pages/fingerprint.ts';
import { listSpellings } from '../pages/spellings.ts';
import { IS_LEFT, moveWishes, type TakeOver, takeOver } from '../pages/take-over.ts';
import { assignReason } from '../reason-columns.ts';
import type { RunRow } from '../runs/runs.ts';

/** Rows that `courier recover` added to a watch and that no sitemap has listed so far. */
interface NeverListed {
  /** The run that stands for the recovery. */
  readonly run: number;
  /** 1: the watch was crawled completely since, or is no longer configured. No sitemap of it lists these URLs. */
  readonly crawled: number;
}

/** A URL that the service may have in another spelling is considered again after this long, or by the next complete run. */
const SPELLING_UNSURE_MS = 3_600_000;

/**
 * Gives the URLs that a run has found what the ledger knows of their purchases under another watch or spelling, so that
 * no rule starts again at zero. Three kinds of rows are taken over, of the same account only:
 *
 * - rows for which something is to follow, and that their own watch does not list any more.
 * - rows of a watch that is not `configured` any more: it was renamed or removed. Null: which are is not known.
 * - rows that `courier recover` added and no sitemap lists, where the URL differs in its final slash alone.
 *
 * Pages that were forgotten and are listed again count like any other: their addresses are restored first.
 * Costs three short queries when there are none, and otherwise a look-up for each URL that is due. Call it after the diff.
 */
export async function takeOverPurchases(
  ledger: Ledger,
  run: RunRow,
  configured: readonly WatchId[] | null,
): Promise<void> {
  const { db } = ledger;
  await restoreForgotten(ledger, run);
  const others = await listOthers(db, run);
  if (others.length > 0) await takeOverLeft(ledger, run, others);
  const names = configured === null ? null : new Set(configured);
  const removed = others.filter(({ name }) => names !== null && !names.has(name)).map(({ id }) => id);
  const neverListed = await db.all(selectNeverListed(run, removed));
  if (removed.length === 0 && neverListed.length === 0) return;
  for await (const page of eachDuePage(db, run.watch_id)) {
    const listed = page.filter(({ due, generation }) => generation === 0 && (due === 'new' || due === 'changed'));
    if (listed.length > 0) await takeOverPage(ledger, run, listed, removed, neverListed);
  }
  for (const watch of removed) {
    for await (const bought of eachPendingPage(db, watch)) {
      const pairs = await db.all(selectListed(bought, run.watch_id));
      if (pairs.length > 0) await db.tx((tx) => takeOver(tx, run.account_id, run.id, pairs));
    }
    for (let pairs = await db.all(selectChecked(watch, run.watch_id)); pairs.length > 0; ) {
      await db.tx((tx) => takeOver(tx, run.account_id, run.id, pairs));
      pairs = pairs.length < DUE_PAGE ? [] : await db.all(selectChecked(watch, run.watch_id));
    }
  }
}

async function takeOverPage(
  ledger: Ledger,
  run: RunRow,
  listed: readonly DueRow[],
  removed: readonly number[],
  neverListed: readonly NeverListed[],
): Promise<void> {
  const { db } = ledger;
  const bought = new Map<number, number>();
  const unsure = new Set<number>();
  if (neverListed.length > 0) {
    for (const { listed: id, bought: row, crawled } of await db.all(selectSpelled(ledger, listed, neverListed))) {
      if (crawled === 1) bought.set(id, row);
      else unsure.add(id);
    }
  }
  if (removed.length > 0) {
    for (const pair of await db.all(selectOfRemoved(listed, removed))) bought.set(pair.listed, pair.bought);
  }
  // Each bought row once.
  const byBought = new Map([...bought].map(([id, row]) => [row, { bought: row, listed: id }] as const));
  const sure = listed.filter(({ id, reason_code }) => reason_code === 'spelling_unsure' && !unsure.has(id));
  if (byBought.size + unsure.size + sure.length === 0) return;
  await db.tx(async (tx) => {
    await takeOver(tx, run.account_id, run.id, [...byBought.values()]);
    await tx.run(sql`
      UPDATE urls SET due_at = NULL, ${assignReason(null)}
      WHERE reason_code = 'spelling_unsure' AND id IN (SELECT id FROM ${toIds(sure.map(({ id }) => id))} AS r)`);
    await tx.run(sql`
      UPDATE urls SET due_at = ${ledger.now() + SPELLING_UNSURE_MS}, ${assignReason({ code: 'spelling_unsure' })}
      WHERE generation = 0 AND id IN (SELECT id FROM ${toIds([...unsure])} AS r)`);
  });
}

interface OtherWatch {
  readonly id: number;
  readonly name: WatchId;
}

const listOthers = (db: Queryable, run: RunRow): Promise<OtherWatch[]> =>
  db.all(sql<OtherWatch>`
    SELECT id, name FROM watches WHERE account_id = ${run.account_id} AND id <> ${run.watch_id} ORDER BY id`);

/**
 * What is to follow for pages that another watch does not list any more, and that this one lists: a retry, for example. They are
 * taken over, or where this watch has bought them too, its row is due instead.
 */
async function takeOverLeft({ db }: Ledger, run: RunRow, others: readonly OtherWatch[]): Promise<void> {
  const left = selectLeft(
    others.map(({ id }) => id),
    run.watch_id,
  );
  for (let pairs = await db.all(left); pairs.length > 0; ) {
    await db.tx(async (tx) => {
      await lockAccount(tx, run.account_id);
      // Of several watches the one that bought it last.
      const rows = [...new Map((await tx.all(left)).map((pair) => [pair.listed, pair])).values()];
      const { bought = [], free = [] } = Object.groupBy(rows, ({ generation }) => (generation > 0 ? 'bought' : 'free'));
      await takeOver(tx, run.account_id, run.id, free);
      await moveWishes(tx, bought);
    });
    pairs = pairs.length < DUE_PAGE ? [] : await db.all(left);
  }
}

const toIds = (ids: readonly number[]) =>
  toRows(
    { id: 'bigint' },
    ids.map((id): Row => [id]),
  );

/** A recovery that added rows names itself as the run in which they were first seen and went. Uses urls_gone. */
const selectNeverListed = (run: RunRow, removed: readonly number[]): Query<NeverListed> => sql<NeverListed>`
  SELECT rec.id AS run, CASE WHEN w.id IN (SELECT id FROM ${toIds(removed)} AS r) OR EXISTS (
      SELECT 1 FROM runs AS c WHERE c.watch_id = w.id AND c.started_at >= rec.started_at AND c.complete = 1)
    THEN 1 ELSE 0 END AS crawled
  FROM watches AS w JOIN runs AS rec ON rec.name = 'recover/' || w.name
  WHERE w.account_id = ${run.account_id} AND EXISTS (SELECT 1 FROM urls AS u WHERE u.gone_run = rec.id)
  ORDER BY rec.id`;

/** The row of a removed watch for each of these URLs; of several, the last is the one bought last. Uses urls_by_fp. */
export const selectOfRemoved = (
  listed: readonly { readonly id: number }[],
  removed: readonly number[],
): Query<TakeOver> =>
  sql<TakeOver>`
  SELECT o.id AS bought, n.id AS listed
  FROM ${toIds(listed.map(({ id }) => id))} AS r CROSS JOIN urls AS n CROSS JOIN urls AS o
  WHERE n.id = r.id AND o.fp = n.fp AND o.url = n.url AND o.generation > 0
    AND o.watch_id IN (SELECT id FROM ${toIds(removed)} AS gone)
  ORDER BY n.id, coalesce(o.bought_at, 0), o.id`;

/**
 * The recovered row for each of these URLs that differs from it in the final slash alone, and that no sitemap lists
 * under its own spelling. Uses urls_by_fp.
 */
export function selectSpelled(
  { seed }: Pick<Ledger, 'seed'>,
  listed: readonly Pick<DueRow, 'id' | 'url'>[],
  neverListed: readonly NeverListed[],
): Query<TakeOver & Pick<NeverListed, 'crawled'>> {
  const spelled = listed.flatMap(({ id, url }) =>
    listSpellings(url)
      .slice(1)
      .map((spelling): Row => [id, toUrlKey(spelling, seed), spelling]),
  );
  const runs = neverListed.map(({ run, crawled }): Row => [run, crawled]);
  return sql<TakeOver & Pick<NeverListed, 'crawled'>>`
  SELECT o.id AS bought, r.id AS listed, rec.crawled
  FROM ${toRows({ id: 'bigint', fp: 'bigint', url: 'text' }, spelled)} AS r CROSS JOIN urls AS o
  JOIN ${toRows({ run: 'bigint', crawled: 'bigint' }, runs)} AS rec ON rec.run = o.gone_run
  WHERE o.fp = r.fp AND o.url = r.url AND o.first_run = o.gone_run AND o.generation > 0
    AND NOT EXISTS (SELECT 1 FROM urls AS x WHERE x.fp = o.fp AND x.url = o.url AND x.id <> o.id)
  ORDER BY r.id, o.id`;
}

/**
 * The row of a watch, without a purchase, for each of these rows: of one that was never bought, only where nothing makes the page
 * due, as after a baseline. Uses urls_by_fp.
 */
export const selectListed = (bought: readonly number[], watchId: number): Query<TakeOver> => sql<TakeOver>`
  SELECT o.id AS bought, n.id AS listed FROM ${toIds(bought)} AS r CROSS JOIN urls AS o CROSS JOIN urls AS n
  WHERE o.id = r.id AND n.fp = o.fp AND n.watch_id = ${watchId} AND n.url = o.url AND n.generation = 0
    AND (o.generation > 0 OR n.due IS NULL)`;

interface LeftPair extends TakeOver {
  /** Of the row that is listed. */
  readonly generation: number;
}

/**
 * Rows of other watches that none of their sitemaps lists and for which something is to follow, and the rows of this watch, which
 * lists them and has not bought them since. Uses urls_left and urls_by_fp.
 */
export const selectLeft = (others: readonly number[], watchId: number): Query<LeftPair> => sql<LeftPair>`
  SELECT o.id AS bought, n.id AS listed, n.generation
  FROM ${toIds(others)} AS r CROSS JOIN urls AS o CROSS JOIN urls AS n
  WHERE o.watch_id = r.id AND ${IS_LEFT} AND n.fp = o.fp AND n.watch_id = ${watchId} AND n.url = o.url
    AND n.gone_run IS NULL AND (n.generation = 0 OR (n.due IS NULL AND n.state NOT IN ('planned', 'submitted', 'quarantined')
      AND coalesce(n.bought_at, 0) <= coalesce(o.bought_at, 0) AND (o.quarantined OR o.due <> 'changed')))
  ORDER BY coalesce(o.bought_at, 0), o.id LIMIT ${DUE_PAGE}`;

/** Rows of a removed watch that are to be checked in the index, and those of a watch that lists them. Uses check_queue_due. */
export const selectChecked = (removed: number, watchId: number): Query<TakeOver> => sql<TakeOver>`
  SELECT o.id AS bought, n.id AS listed FROM check_queue AS q CROSS JOIN urls AS o CROSS JOIN urls AS n
  WHERE q.watch_id = ${removed} AND q.next_at IS NOT NULL AND o.id = q.url_id AND o.generation > 0
    AND n.fp = o.fp AND n.watch_id = ${watchId} AND n.url = o.url AND n.generation = 0 LIMIT ${DUE_PAGE}`;

/**
 * Rows of a removed watch for which something is to follow: those that were bought, to be bought again or in quarantine, and those
 * that a guard has let pass and a cap has held.
 */
async function* eachPendingPage(db: Queryable, watchId: number): AsyncGenerator<readonly number[]> {
  for await (const page of eachDuePage(db, watchId)) {
    const ids = page.filter((row) => row.generation > 0 || row.guard_passed === 1).map(({ id }) => id);
    if (ids.length > 0) yield ids;
  }
  for (let after = 0; ; ) {
    const page = await db.all(selectQuarantinedPage(watchId, after));
    const last = page.at(-1);
    if (last === undefined) return;
    yield page.map(({ id }) => id);
    if (page.length < DUE_PAGE) return;
    after = last.id;
    await yieldToEventLoop();
  }
}

/** Uses urls_quarantined. */
export const selectQuarantinedPage = (watchId: number, after: number): Query<{ id: number }> => sql<{ id: number }>`
  SELECT id FROM urls WHERE quarantined AND watch_id = ${watchId} AND id > ${after} AND generation > 0
  ORDER BY id LIMIT ${DUE_PAGE}`;
