import { type Row, toRows } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import type { AccountId, WatchId } from '../../submission/ids.ts';
import { toStoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Version } from '../../url/version.ts';
import { ensureWatch, lockAccount } from '../accounts/watches.ts';
import { type ForgottenUrl, isForgottenUrl } from '../forgotten/forgotten-url.ts';
import { restoreForgotten } from '../forgotten/restore-forgotten.ts';
import { LedgerError } from '../ledger-error.ts';
import type { Ledger } from '../open-ledger.ts';
import type { LedgerUrlState } from '../url-state.ts';
import { ensureRecoveredUrls } from './recovered-urls.ts';

/** A URL that was bought outside of this ledger: by another one, or by hand. */
export interface ImportedUrl {
  /** A forgotten page comes without its address. */
  readonly url: Url | ForgottenUrl;
  readonly state: Extract<LedgerUrlState, 'known' | 'completed' | 'failed' | 'quarantined'>;
  /** How often it was bought, at least 1. */
  readonly generation: number;
  /** In a row. One that failed is bought again as the watch buys failed URLs. */
  readonly failures: number;
  readonly boughtAt: number;
  /** Of the page as it was bought; null when not known, and then the next one is no change. */
  readonly version: Version | null;
}

export interface Imported {
  /** Not in the ledger before. */
  readonly added: number;
  /** In the ledger, and not bought so far: they are not bought now. */
  readonly marked: number;
  /** Bought according to this ledger too. They are left as they are. */
  readonly known: number;
}

/** Ends the transaction of a trial without writing. */
class Trial extends Error {}

/**
 * Records URLs as bought, so that no run of the watch buys them for being new. A second import of the same URLs changes
 * nothing. Nothing is charged, and no charge is recorded: the amounts belong to whoever paid. Throws a LedgerError
 * (WRONG_STATE) while batches of the account wait to be sent, because one of them may hold such a URL. `write` false:
 * counts only.
 */
export async function importPurchases(
  ledger: Ledger,
  { account, watch }: { readonly account: AccountId; readonly watch: WatchId },
  urls: readonly ImportedUrl[],
  { write }: { readonly write: boolean },
): Promise<Imported> {
  let imported: Imported = { added: 0, marked: 0, known: 0 };
  try {
    await ledger.db.tx(async (tx) => {
      const now = ledger.now();
      await lockAccount(tx, account);
      const waiting = await tx.get(sql<{ id: number }>`
        SELECT id FROM batches WHERE account_id = ${account} AND state IN ('planned', 'sending') ORDER BY id LIMIT 1`);
      if (waiting !== undefined) throw hasWaitingBatch(account, waiting.id);
      const watchId = await ensureWatch(tx, watch, account);
      const { top } = await tx.one(sql<{ top: number }>`SELECT coalesce(max(id), 0) AS top FROM urls`);
      const rows = await ensureRecoveredUrls(tx, ledger, { watch, watchId, account }, urls, now);
      // Two spellings of one page are one row; the first counts.
      const byId = new Map([...rows].toReversed().map(([at, id]) => [id, at]));
      const listed = toRows(
        COLUMNS,
        [...byId].map(([id, at]): Row => {
          const { state, generation, boughtAt, version, ...url } = urls[at] as ImportedUrl;
          const failedAt = Math.min(boughtAt, now);
          const failures = state === 'failed' ? Math.max(1, url.failures) : url.failures;
          const { reason_code, reason_params } = toStoredReason(
            state === 'failed'
              ? { code: 'failed_without_watch', failures, failedAt, text: null }
              : { code: 'imported' },
          );
          const due = state === 'failed' ? 'retry' : null;
          return [id, state, generation, failures, failedAt, version, due, reason_code, reason_params];
        }),
      );
      const added = [...byId.keys()].filter((id) => id > top).length;
      const { changes } = await tx.run(sql`
        UPDATE urls SET generation = r.generation, state = r.state, failures = r.failures, bought_at = r.bought_at,
          due = r.due, due_at = NULL, bought_version = r.version, version = coalesce(urls.version, r.version),
          reason_code = r.reason_code, reason_params = r.reason_params
        FROM ${listed} AS r WHERE urls.id = r.id AND urls.generation = 0`);
      imported = { added, marked: changes - added, known: byId.size - changes };
      if (!write) throw new Trial();
    });
  } catch (error) {
    if (!(error instanceof Trial)) throw error;
  }
  if (write && urls.some(({ url }) => isForgottenUrl(url))) await restoreListed(ledger, account);
  return imported;
}

/** A crawl may have found an imported page before: a plan that needs no other crawl must not buy it. */
async function restoreListed(ledger: Ledger, account: AccountId): Promise<void> {
  const lastRuns = await ledger.db.all(sql<{ id: number; watch_id: number }>`
    SELECT max(r.id) AS id, w.id AS watch_id FROM watches AS w JOIN runs AS r ON r.watch_id = w.id
    WHERE w.account_id = ${account} GROUP BY w.id ORDER BY w.id`);
  for (const run of lastRuns) await restoreForgotten(ledger, { ...run, account_id: account });
}

const COLUMNS = {
  id: 'bigint',
  state: 'text',
  generation: 'bigint',
  failures: 'bigint',
  bought_at: 'bigint',
  version: 'bigint',
  due: 'text',
  reason_code: 'text',
  reason_params: 'text',
} as const;

const hasWaitingBatch = (account: AccountId, batch: number): LedgerError =>
  new LedgerError(
    'WRONG_STATE',
    `Batch ${batch} of account ${account} waits to be sent, and may hold URLs that you import. Nothing was imported. Let a ` +
      `run send it, or take it back with "courier batches cancel ${batch}", then import again.`,
  );
