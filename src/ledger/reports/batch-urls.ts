import { sql } from '../../database/sql.ts';
import type { BatchId } from '../../submission/ids.ts';
import { renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { Ledger } from '../open-ledger.ts';
import type { LedgerUrlState } from '../url-state.ts';

/** A URL of a batch: what the service reported for it there, and where it stands now. */
export interface BatchUrl {
  readonly url: Url;
  readonly generation: number;
  readonly result: string | null;
  readonly resultReason: string | null;
  readonly state: LedgerUrlState;
  readonly stateReason: string | null;
}

/** The URLs of a batch, in the order in which they are sent. For files and screens, never for a workflow's payload. */
export async function listBatchUrls(ledger: Ledger, batch: BatchId): Promise<BatchUrl[]> {
  const rows = await ledger.db.all(sql<Omit<BatchUrl, 'stateReason'> & StoredReason>`
    SELECT u.url, m.generation, m.result, m.reason AS "resultReason", u.state, u.reason_code, u.reason_params
    FROM batch_urls AS m JOIN urls AS u ON u.id = m.url_id WHERE m.batch_id = ${batch} ORDER BY m.position`);
  return rows.map(({ reason_code, reason_params, ...row }) => ({
    ...row,
    stateReason: renderStoredReason({ reason_code, reason_params }),
  }));
}
