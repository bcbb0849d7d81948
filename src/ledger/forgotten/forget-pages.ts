import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { dialectal, sql } from '../../database/sql.ts';
import type { AccountId, WatchId } from '../../submission/ids.ts';
import { addLive, lockAccount } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { leaveLists } from '../pages/drop-lists.ts';
import { type Candidate, eachCandidatePage, type ForgetSelection, findObstacles } from './forget-selection.ts';
import { forgetSitemaps } from './forget-sitemaps.ts';
import { forgetTexts, removeFromTextsOf } from './forget-texts.ts';
import { toForgottenKey, toForgottenUrl } from './forgotten-url.ts';

export interface ForgetInput {
  readonly selection: ForgetSelection;
  /** The watches of the configuration. What they list is not forgotten. */
  readonly configured: readonly WatchId[];
}

export interface ForgetOptions {
  readonly onProgress?: (pages: number) => void;
  /** Ends early between two transactions. */
  readonly signal?: AbortSignal;
  /** Waits between two transactions, in milliseconds. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

export interface Forgotten {
  readonly pages: number;
  /** Selected pages that keep their addresses: a watch lists them, or something began with them meanwhile. */
  readonly kept: number;
  readonly sitemaps: number;
  /** Messages and samples from which addresses were removed. */
  readonly texts: number;
}

/** The run of a page that no crawl found gone: it is in no sitemap because it was forgotten. */
const NO_RUN = 0;

/**
 * Removes the addresses of pages from the ledger. Each keeps its row, so that its generations stay bought, its
 * charges stay counted and its id is never used again; in place of the address stands its digest, by which
 * `restoreForgotten` recognizes the page when a sitemap lists it again. Works in short transactions, each of which leaves
 * a whole ledger: after an interruption, call it again. What has an obstacle is kept.
 */
export async function forgetPages(
  ledger: Ledger,
  { selection, configured }: ForgetInput,
  { onProgress, signal, pause = sleep }: ForgetOptions = {},
): Promise<Forgotten> {
  const between = async (began: number) => {
    await pause(performance.now() - began);
    signal?.throwIfAborted();
  };
  // Last, because the rows say what there is to forget: an interrupted call finds them again.
  const sitemaps = await forgetSitemaps(ledger, selection, configured);
  const texts = await forgetTexts(ledger, selection, between);
  let pages = 0;
  let kept = 0;
  let memberTexts = 0;
  for await (const page of eachCandidatePage(ledger, selection)) {
    signal?.throwIfAborted();
    const began = performance.now();
    const done = await ledger.db.tx((tx) => forgetPage(tx, page, configured, ledger.now()));
    pages += done.pages;
    kept += page.length - done.pages;
    memberTexts += done.texts;
    onProgress?.(pages);
    await between(began);
  }
  return { pages, kept, sitemaps, texts: texts + memberTexts };
}

async function forgetPage(
  tx: Queryable,
  page: readonly Candidate[],
  configured: readonly WatchId[],
  now: number,
): Promise<{ readonly pages: number; readonly texts: number }> {
  await lockOut(
    tx,
    page.map(({ watch_id }) => watch_id),
  );
  const obstacles = await findObstacles(
    tx,
    page.map(({ id }) => id),
    configured,
    now,
  );
  const free = page.filter(({ id }) => obstacles.get(id) === null);
  if (free.length === 0) return { pages: 0, texts: 0 };
  const ids = free.map(({ id }) => id);
  const listed = await tx.all(sql<{ id: number; watch_id: number }>`
    SELECT id, watch_id FROM urls WHERE gone_run IS NULL AND id IN (SELECT id FROM ${toIds(ids)} AS r)`);
  await leaveLists(
    tx,
    listed.map(({ id }) => id),
  );
  const texts = await removeFromTextsOf(tx, ids);
  const rows = free.map(({ id, url }): Row => {
    const forgotten = toForgottenUrl(url);
    return [id, toForgottenKey(forgotten), forgotten];
  });
  const { changes } = await tx.run(sql`
    UPDATE urls SET fp = r.fp, url = r.url, forgotten_at = ${now}, gone_run = coalesce(urls.gone_run, ${NO_RUN})
    FROM ${toRows({ id: 'bigint', fp: 'bigint', url: 'text' }, rows)} AS r
    WHERE urls.id = r.id AND urls.forgotten_at IS NULL`);
  const left = Map.groupBy(listed, ({ watch_id }) => watch_id);
  for (const [watch, urls] of left) await addLive(tx, watch, -urls.length);
  return { pages: changes, texts };
}

/**
 * Locks the accounts of these watches against plans, and all their watches against crawls that add pages: on Postgres
 * a page that another watch adds in this moment would else not be seen, and be bought again.
 */
async function lockOut(tx: Queryable, watchIds: readonly number[]): Promise<void> {
  const accounts = await tx.all(sql<{ account_id: AccountId }>`
    SELECT DISTINCT account_id FROM watches WHERE id IN (SELECT id FROM ${toIds(watchIds)} AS r) ORDER BY account_id`);
  for (const { account_id } of accounts) await lockAccount(tx, account_id);
  await tx.all(sql`${dialectal(sql`SELECT 1`, sql`SELECT id FROM watches ORDER BY id FOR UPDATE`)}`);
}

const toIds = (ids: readonly number[]) =>
  toRows(
    { id: 'bigint' },
    ids.map((id): Row => [id]),
  );
