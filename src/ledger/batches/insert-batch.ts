import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import type { Queryable } from '../../database/database.ts';
import { insertRows, type Row } from '../../database/rows.ts';
import { sql } from '../../database/sql.ts';
import { freezeBatch } from '../../submission/freeze.ts';
import type { AccountId, BatchId, IdempotencyKey, WatchId } from '../../submission/ids.ts';
import type { Url } from '../../url/normalize-url.ts';
import type { DueReason } from '../pages/due.ts';
import type { PriceBasis } from '../policy.ts';
import { followState } from '../purchases/follow-state.ts';

export interface NewBatch {
  /** Epoch milliseconds; the parts of a batch keep its own. */
  readonly plannedAt: number;
  readonly account: AccountId;
  readonly baseUrl: string;
  readonly watch: WatchId;
  readonly watchId: number;
  readonly runId: number | null;
  /** The refused batch that this one is a part of. */
  readonly parentId: BatchId | null;
  readonly service: ServiceLevel;
  readonly project: string;
  readonly urls: readonly {
    readonly id: number;
    readonly url: Url;
    readonly generation: number;
    /** Why it is bought: it is due for this reason again when the batch is taken back. */
    readonly due: DueReason | null;
  }[];
  readonly expectedCost: Micros | null;
  readonly basis: PriceBasis;
}

/** A plan may write a thousand batches: the event loop, and with it every heartbeat, runs in between. */
const MEMBERS_AT_ONCE = 1_000;

/**
 * Writes a batch with its exact bytes and its key, and holds its money. The index `batch_urls_once` refuses a generation of a URL that is
 * already in another batch: the transaction fails and nothing is bought.
 *
 * The generation in the key is the greatest of the batch's URLs. Two batches with the same URLs in the same order never
 * share it, because every URL's generation grows each time it is planned; so a deliberate resubmission always has a new
 * key, and URLs of different generations may share a batch.
 */
export async function insertBatch(
  tx: Queryable,
  now: number,
  batch: NewBatch,
): Promise<{ id: BatchId; key: IdempotencyKey }> {
  const { plannedAt, account, baseUrl, watch, watchId, runId, parentId, service, project, urls, expectedCost, basis } =
    batch;
  const generation = urls.reduce((most, url) => Math.max(most, url.generation), 0);
  const frozen = freezeBatch({
    baseUrl,
    account,
    watch,
    service,
    project,
    generation,
    urls: urls.map(({ url }) => url),
  });
  const { id } = await tx.one(sql<{ id: BatchId }>`
    INSERT INTO batches (account_id, watch_id, run_id, parent_id, service, project, base_url, normalized_project, generation,
      idempotency_key, digest, tag, urls, expected_cost, price_basis, state, planned_at)
    VALUES (${account}, ${watchId}, ${runId}, ${parentId}, ${service}, ${frozen.project}, ${baseUrl}, ${project},
      ${generation}, ${frozen.key}, ${frozen.digest}, ${frozen.tag}, ${urls.length}, ${expectedCost}, ${basis},
      'planned', ${plannedAt})
    RETURNING id`);
  await followState(tx, { kind: 'batch', id }, now);
  await tx.run(sql`INSERT INTO batch_bodies (batch_id, body) VALUES (${id}, ${frozen.body})`);
  const columns = { position: 'bigint', url_id: 'bigint', generation: 'bigint', due: 'text' } as const;
  const same = { columns: { batch_id: 'bigint' }, row: [id] } as const;
  const members = urls.map((url, position): Row => [position, url.id, url.generation, url.due]);
  for (let from = 0; from < members.length; from += MEMBERS_AT_ONCE) {
    await insertRows(tx, 'batch_urls', columns, members.slice(from, from + MEMBERS_AT_ONCE), '', same);
    await tx.run(sql`
      UPDATE urls SET state = 'planned', reason_code = NULL, reason_params = NULL, due = NULL, due_at = NULL,
        guard_passed = 1, planned_version = version, generation = m.generation
      FROM batch_urls AS m WHERE m.batch_id = ${id} AND m.position >= ${from} AND m.position < ${from + MEMBERS_AT_ONCE}
        AND urls.id = m.url_id`);
    await yieldToEventLoop();
  }
  return { id, key: frozen.key };
}
