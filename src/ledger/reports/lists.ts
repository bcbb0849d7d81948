import type { Micros } from '../../../contract/money.ts';
import type { ServiceLevel } from '../../../contract/states.ts';
import { join, sql } from '../../database/sql.ts';
import type { AccountId, BatchId, IdempotencyKey, Reference, RunId, WatchId } from '../../submission/ids.ts';
import { parseReason, renderStoredReason, type StoredReason } from '../../submission/reason.ts';
import type { Ledger } from '../open-ledger.ts';
import type { BatchState } from '../purchases/states.ts';
import type { RunDecision } from '../runs/decide-run.ts';

/** A batch as lists and reports show it. */
export interface BatchLine {
  readonly batch: BatchId;
  readonly watch: WatchId;
  readonly account: AccountId;
  readonly run: RunId | null;
  /** What was decided on that run, when a guard held it; null when nothing was. */
  readonly decision: RunDecisionLine | null;
  readonly service: ServiceLevel;
  readonly project: string;
  readonly key: IdempotencyKey | null;
  readonly tag: string | null;
  readonly urls: number;
  readonly state: BatchState;
  readonly reason: string | null;
  /** The service refused its only request as it is: nothing of it was charged. */
  readonly isUncharged: boolean;
  readonly attempts: number;
  readonly expectedCost: Micros | null;
  readonly charge: Micros | null;
  readonly reference: Reference | null;
  readonly jobState: string | null;
  readonly plannedAt: number;
  readonly acceptedAt: number | null;
  readonly endedAt: number | null;
  /** When every URL of its job got its result; null until then. */
  readonly settledAt: number | null;
  readonly completed: number;
  readonly failed: number;
  /** Since when the outcome of an attempt is unknown; null when nothing is. */
  readonly inDoubtSince: number | null;
  /** When the next request may be sent for it; null: at once, or never. */
  readonly notBefore: number | null;
}

/** Who decided on a held run, with the note, and when. */
export interface RunDecisionLine {
  readonly decision: RunDecision;
  readonly by: string;
  readonly at: number;
}

/** All three, or none. */
interface DecisionRow {
  readonly decision: RunDecision | null;
  readonly decided_by: string | null;
  readonly decided_at: number | null;
}

type BatchLineRow = Omit<BatchLine, 'decision' | 'reason' | 'isUncharged'> & DecisionRow & StoredReason;

export interface BatchFilter {
  readonly account?: AccountId;
  readonly watch?: WatchId;
  readonly run?: RunId;
  readonly state?: BatchState;
  readonly reference?: Reference;
  readonly batch?: BatchId;
  readonly limit?: number;
  /** Those before this batch: the last one of the page before. */
  readonly before?: BatchId;
}

const toDecision = ({ decision, decided_by, decided_at }: DecisionRow): RunDecisionLine | null =>
  decision === null || decided_by === null || decided_at === null ? null : { decision, by: decided_by, at: decided_at };

/** Its request was refused as it is, whatever its URLs are (400, 404, 415, …). */
function isDefect(row: StoredReason): boolean {
  const reason = parseReason(row);
  return reason?.code === 'answer' && reason.outcome === 'defect';
}

/** Batches, newest first. A batch in doubt has `inDoubtSince` set. */
export async function listBatches(ledger: Ledger, filter: BatchFilter = {}): Promise<BatchLine[]> {
  const { account, watch, run, state, reference, batch, before, limit = 100 } = filter;
  const conditions = [
    sql`1 = 1`,
    ...(account === undefined ? [] : [sql`b.account_id = ${account}`]),
    ...(watch === undefined ? [] : [sql`w.name = ${watch}`]),
    ...(run === undefined ? [] : [sql`r.name = ${run}`]),
    ...(state === undefined ? [] : [sql`b.state = ${state}`]),
    ...(reference === undefined ? [] : [sql`b.reference = ${reference}`]),
    ...(batch === undefined ? [] : [sql`b.id = ${batch}`]),
    ...(before === undefined ? [] : [sql`b.id < ${before}`]),
  ];
  const rows = await ledger.db.all(sql<BatchLineRow>`
    SELECT b.id AS batch, w.name AS watch, b.account_id AS account, r.name AS run, b.service, b.project, b.idempotency_key AS key,
      b.tag, b.urls, b.state, b.attempts, b.expected_cost AS "expectedCost", b.charge, b.reference, b.job_state AS "jobState",
      b.planned_at AS "plannedAt", b.accepted_at AS "acceptedAt", b.ended_at AS "endedAt", b.settled_at AS "settledAt",
      b.completed, b.failed, b.in_doubt_since AS "inDoubtSince", b.not_before AS "notBefore", b.reason_code, b.reason_params,
      r.decision, r.decided_by, r.decided_at
    FROM batches AS b JOIN watches AS w ON w.id = b.watch_id LEFT JOIN runs AS r ON r.id = b.run_id
    WHERE ${join(conditions, ' AND ')} ORDER BY b.id DESC LIMIT ${limit}`);
  return rows.map(({ decision, decided_by, decided_at, reason_code, reason_params, ...row }) => ({
    ...row,
    decision: toDecision({ decision, decided_by, decided_at }),
    reason: renderStoredReason({ reason_code, reason_params }),
    isUncharged: row.inDoubtSince === null && row.attempts === 1 && isDefect({ reason_code, reason_params }),
  }));
}
