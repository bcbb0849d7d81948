import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { RunId, WatchId } from '../../submission/ids.ts';
import { addLive } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { dropLists } from '../pages/drop-lists.ts';
import { growingList, unpackList } from '../pages/fingerprint-list.ts';
import { countGone, selectRunsSinceLast } from '../runs/gone-since-last-run.ts';
import { getOpenRun, type RunRow } from '../runs/runs.ts';
import { takeOverPurchases } from './earlier-purchases.ts';

/** URLs that are written in one turn of the event loop. */
const TURN = 1_000;

/** A run's counts of URLs. `known` + `new` + `changed` is `found` when the crawl was complete. */
export interface RunDiff {
  /** In scope; a URL in two sitemaps counts once when the crawl was complete. */
  readonly found: number;
  /** New, changed and gone since the last finished run: URLs first seen by an unapplied plan count too. */
  readonly new: number;
  readonly changed: number;
  readonly known: number;
  /** No longer in any sitemap of the watch. Always 0 when the crawl was not complete. */
  readonly gone: number;
  readonly skipped: number;
  readonly complete: boolean;
  readonly firstRun: boolean;
}

/**
 * Closes the observation of a run and counts. `complete` is what the crawl says of itself; a sitemap that the ledger
 * knows as incomplete overrules it. Only a complete run makes URLs gone: until then what is missing stays a candidate,
 * so that nothing is forgotten and nothing is gone because a server was down. `configured` names the watches that the
 * configuration has: purchases under one that it no longer has belong to the watch that lists the URL now.
 */
export async function diffRun(
  ledger: Ledger,
  run: RunId,
  { complete, configured = null }: { readonly complete: boolean; readonly configured?: readonly WatchId[] | null },
): Promise<RunDiff> {
  const diff = await closeObservation(ledger, run, complete);
  await takeOverPurchases(ledger, await getOpenRun(ledger.db, run), configured);
  return diff;
}

async function closeObservation(ledger: Ledger, run: RunId, complete: boolean): Promise<RunDiff> {
  const now = ledger.now();
  const close = async (tx: Queryable): Promise<RunDiff> => {
    const row = await getOpenRun(tx, run);
    const incomplete = await tx.get(sql`
      SELECT 1 FROM run_sitemaps WHERE run_id = ${row.id} AND verdict = 'incomplete' LIMIT 1`);
    const whole = complete && incomplete === undefined;
    if (whole) {
      await dropUnlisted(tx, row);
      await resolveGoneCandidates(tx, row);
    }
    const runs = selectRunsSinceLast(row);
    const own = await tx.one(sql<{ urls: number }>`
      SELECT coalesce(sum(urls), 0) AS urls FROM run_sitemaps WHERE run_id = ${row.id}`);
    const sums = await tx.one(sql<{ new_urls: number; changed: number }>`
      SELECT coalesce(sum(new_urls), 0) AS new_urls, coalesce(sum(changed), 0) AS changed
      FROM run_sitemaps WHERE run_id IN (${runs})`);
    const { gone, passing } = await countGone(tx, row);
    const skips = await tx.one(sql<{ urls: number }>`
      SELECT coalesce(sum(urls), 0) AS urls FROM run_skips WHERE run_id = ${row.id}`);
    const { live } = await tx.one(sql<{ live: number }>`SELECT live FROM watches WHERE id = ${row.watch_id}`);
    const { new_urls: seen, changed } = sums;
    const added = seen - passing;
    const found = whole ? live : own.urls;
    const diff: RunDiff = {
      found,
      new: added,
      changed,
      known: Math.max(0, found - added - changed),
      gone,
      skipped: skips.urls,
      complete: whole,
      firstRun: row.first_run === 1,
    };
    await tx.run(sql`
      UPDATE runs SET found = ${found}, new_urls = ${added}, changed = ${changed}, known = ${diff.known},
        gone = ${diff.gone}, skipped = ${diff.skipped}, complete = ${whole ? 1 : 0}, touched_at = ${now}
      WHERE id = ${row.id}`);
    return diff;
  };
  return ledger.db.tx(close, { bulk: true });
}

/** A sitemap that a complete crawl did not visit is no longer listed: its URLs may be gone too. */
const dropUnlisted = (tx: Queryable, run: RunRow): Promise<void> =>
  dropLists(
    tx,
    sql`s.watch_id = ${run.watch_id} AND NOT EXISTS (
      SELECT 1 FROM run_sitemaps AS r WHERE r.run_id = ${run.id} AND r.sitemap_id = s.id)`,
  );

/**
 * A candidate that another sitemap still lists has only moved; the others are gone. What is due of them stays due and is
 * not bought while they are gone: a page that comes back before it was bought is bought then.
 */
async function resolveGoneCandidates(tx: Queryable, run: RunRow): Promise<void> {
  const candidates = await tx.all(sql<{ fp: string }>`
    SELECT CAST(fp AS TEXT) AS fp FROM gone_candidates WHERE watch_id = ${run.watch_id}`);
  if (candidates.length === 0) return;
  const list = growingList(candidates.length);
  for (const { fp } of candidates) {
    const bits = BigInt.asUintN(64, BigInt(fp));
    list.push(Number(bits >> 32n), Number(bits & 0xffffffffn), 0);
  }
  const listed = new Uint8Array(list.length);
  const sitemaps = await tx.all(sql<{ id: number }>`
    SELECT s.id FROM sitemaps AS s JOIN sitemap_snapshots AS p ON p.sitemap_id = s.id
    WHERE s.watch_id = ${run.watch_id}`);
  for (const { id } of sitemaps) {
    const kept = await tx.one(sql<{ entries: Uint8Array }>`
      SELECT entries FROM sitemap_snapshots WHERE sitemap_id = ${id}`);
    list.markListed(unpackList(kept.entries), listed);
    await yieldToEventLoop();
  }
  const gone = candidates.filter((_, index) => listed[index] === 0).map(({ fp }): Row => [BigInt(fp)]);
  for (let from = 0; from < gone.length; from += TURN) {
    const { changes } = await tx.run(sql`
      UPDATE urls SET gone_run = ${run.id}
      WHERE watch_id = ${run.watch_id} AND gone_run IS NULL
        AND fp IN (SELECT fp FROM ${toRows({ fp: 'bigint' }, gone.slice(from, from + TURN))} AS r)`);
    await addLive(tx, run.watch_id, -changes);
    await yieldToEventLoop();
  }
  await tx.run(sql`DELETE FROM gone_candidates WHERE watch_id = ${run.watch_id}`);
}
