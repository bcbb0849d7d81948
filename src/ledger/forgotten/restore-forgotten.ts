import type { Queryable } from '../../database/database.ts';
import { type Row, toRows } from '../../database/rows.ts';
import { type Query, sql } from '../../database/sql.ts';
import { lockAccount } from '../accounts/watches.ts';
import type { Ledger } from '../open-ledger.ts';
import { type DueRow, eachDuePage } from '../pages/due.ts';
import { toUrlKey } from '../pages/fingerprint.ts';
import { listSpellings } from '../pages/spellings.ts';
import { takeOver } from '../pages/take-over.ts';
import type { RunRow } from '../runs/runs.ts';
import { type ForgottenUrl, toForgottenKey, toForgottenUrl } from './forgotten-url.ts';

/** Uses urls_forgotten. */
export const selectAnyForgotten: Query = sql`SELECT 1 FROM urls WHERE forgotten_at > 0 LIMIT 1`;

/** Forgotten pages by the keys of their digests. Uses urls_by_fp. */
export const selectForgotten = (keys: readonly bigint[]): Query<{ nr: number; id: number; url: ForgottenUrl }> => sql<{
  nr: number;
  id: number;
  url: ForgottenUrl;
}>`
  SELECT r.nr, t.id, t.url FROM ${toRows(
    { fp: 'bigint' },
    keys.map((key): Row => [key]),
  )} AS r CROSS JOIN urls AS t
  WHERE t.fp = r.fp AND t.forgotten_at IS NOT NULL ORDER BY t.id`;

/**
 * Gives forgotten pages that the run's watch lists again their addresses back, under every watch that had them: a page is
 * bought, skipped and counted as if it had never been forgotten. Call it before what is due is compared with earlier
 * purchases. Costs one query while nothing is forgotten, and otherwise a look-up for each new or changed URL that is due.
 */
export async function restoreForgotten(
  ledger: Ledger,
  run: Pick<RunRow, 'id' | 'watch_id' | 'account_id'>,
): Promise<void> {
  const { db } = ledger;
  if ((await db.get(selectAnyForgotten)) === undefined) return;
  for await (const page of eachDuePage(db, run.watch_id)) {
    const found = await findForgotten(
      ledger,
      page.filter(({ due }) => due === 'new' || due === 'changed'),
    );
    if (found.length === 0) continue;
    await db.tx(async (tx) => {
      await lockAccount(tx, run.account_id);
      await restore(tx, run, found);
    });
  }
}

/** A row without its address, and the address. */
interface FoundAgain {
  readonly id: number;
  readonly url: string;
  readonly fp: bigint;
}

async function findForgotten({ db, seed }: Ledger, due: readonly DueRow[]): Promise<FoundAgain[]> {
  const spelled = due.flatMap(({ url }) =>
    listSpellings(url).map((each) => ({ url: each, digest: toForgottenUrl(each) })),
  );
  const rows = await db.all(selectForgotten(spelled.map(({ digest }) => toForgottenKey(digest))));
  // Once, although two spellings of the page may be due.
  const found = new Map<number, FoundAgain>();
  for (const { nr, id, url: digest } of rows) {
    const at = spelled[nr];
    if (at?.digest === digest) found.set(id, { id, url: at.url, fp: toUrlKey(at.url, seed) });
  }
  return [...found.values()];
}

/**
 * A watch may have made a row for the page since: the forgotten one takes its place, because it has the purchases. Where
 * that row was bought too, which an import brings about, both stay.
 */
async function restore(
  tx: Queryable,
  run: Pick<RunRow, 'id' | 'account_id'>,
  found: readonly FoundAgain[],
): Promise<void> {
  const rows = toRows(
    { id: 'bigint', fp: 'bigint', url: 'text' },
    found.map(({ id, fp, url }): Row => [id, fp, url]),
  );
  const listed = await tx.all(sql<{ bought: number; listed: number }>`
    SELECT t.id AS bought, n.id AS listed FROM ${rows} AS r CROSS JOIN urls AS t CROSS JOIN urls AS n
    WHERE t.id = r.id AND t.forgotten_at IS NOT NULL AND n.fp = r.fp AND n.watch_id = t.watch_id AND n.url = r.url
      AND n.generation = 0`);
  if (listed.length > 0) await takeOver(tx, run.account_id, run.id, listed);
  await tx.run(sql`
    UPDATE urls SET fp = r.fp, url = r.url, forgotten_at = NULL FROM ${rows} AS r
    WHERE urls.id = r.id AND urls.forgotten_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM urls AS n WHERE n.fp = r.fp AND n.watch_id = urls.watch_id)`);
}
