import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, BatchId, Reference, WatchId } from '../../submission/ids.ts';
import type { Ledger } from '../open-ledger.ts';

/** A batch that the service accepted, with what became of its URLs. */
export interface AcceptedBatch {
  readonly batch: BatchId;
  readonly watch: WatchId;
  readonly reference: Reference | null;
  readonly urls: number;
  readonly acceptedAt: number;
  /** When its job ended at the service; null while it has not. */
  readonly endedAt: number | null;
  readonly jobState: string | null;
  readonly groups: readonly UrlGroup[];
}

/** URLs of a batch that are alike. */
export interface UrlGroup {
  readonly urls: number;
  /** When the run began that first found them, where this is their first purchase and they were new; else null. */
  readonly newSince: number | null;
  readonly result: string | null;
  /** Of those that failed, in the words of the service. */
  readonly reason: string | null;
}

/** Batches that are read at once. */
const PAGE = 500;
/** URLs that one query reads. */
const MAX_URLS_A_QUERY = 5_000;

/**
 * The batches of an account that were accepted since then, newest first, until `maxUrls` URLs are read; returns whether
 * there are more. Yields to the event loop between pages.
 */
export async function* eachAcceptedBatch(
  ledger: Ledger,
  account: AccountId,
  { since, maxUrls }: { readonly since: number; readonly maxUrls: number },
): AsyncGenerator<AcceptedBatch, 'all' | 'more'> {
  let read = 0;
  for (let before: Position = { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }; ; ) {
    const page = await ledger.db.all(selectAccepted(account, since, before));
    for (const part of splitByUrls(page)) {
      read += part.reduce((sum, { urls }) => sum + urls, 0);
      if (read > maxUrls) return 'more';
      const groups = Map.groupBy(await ledger.db.all(selectGroups(part)), ({ batch }) => batch);
      for (const row of part)
        yield { ...row, groups: (groups.get(row.batch) ?? []).map(({ batch: _, ...group }) => group) };
      await yieldToEventLoop();
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return 'all';
    before = { at: last.acceptedAt, id: last.batch };
  }
}

interface Position {
  readonly at: number;
  readonly id: number;
}

type AcceptedRow = Omit<AcceptedBatch, 'groups'>;

/** Uses batches_by_acceptance. */
export const selectAccepted = (account: AccountId, since: number, before: Position) => sql<AcceptedRow>`
  SELECT b.id AS batch, w.name AS watch, b.reference, b.urls, b.accepted_at AS "acceptedAt", b.ended_at AS "endedAt",
    b.job_state AS "jobState"
  FROM batches AS b JOIN watches AS w ON w.id = b.watch_id
  WHERE b.account_id = ${account} AND b.accepted_at >= ${since} AND b.accepted_at <= ${before.at}
    AND (b.accepted_at < ${before.at} OR b.id < ${before.id})
  ORDER BY b.accepted_at DESC, b.id DESC LIMIT ${PAGE}`;

type GroupRow = UrlGroup & { readonly batch: BatchId };

/** Uses the primary keys of batch_urls, urls and runs. */
export const selectGroups = (batches: readonly Pick<AcceptedRow, 'batch'>[]) => sql<GroupRow>`
  SELECT m.batch_id AS batch, m.result, CASE WHEN m.result = 'failed' THEN m.reason END AS reason,
    CASE WHEN m.generation = 1 AND m.due = 'new' THEN r.started_at END AS "newSince", count(*) AS urls
  FROM ${toRows(
    { id: 'bigint' },
    batches.map(({ batch }): Row => [batch]),
  )} AS chosen
    CROSS JOIN batch_urls AS m JOIN urls AS u ON u.id = m.url_id JOIN runs AS r ON r.id = u.first_run
  WHERE m.batch_id = chosen.id GROUP BY 1, 2, 3, 4`;

function splitByUrls(page: readonly AcceptedRow[]): AcceptedRow[][] {
  const parts: AcceptedRow[][] = [];
  let room = 0;
  for (const row of page) {
    if (room < row.urls) {
      parts.push([]);
      room = MAX_URLS_A_QUERY;
    }
    parts.at(-1)?.push(row);
    room -= row.urls;
  }
  return parts;
}
