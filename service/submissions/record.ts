import { CURRENCY, MICROS_PER_TRY, type Micros } from '../../contract/money.ts';
import type { Submission } from '../../contract/responses.ts';
import type { ServiceLevel, SubmissionState } from '../../contract/states.ts';
import { raw } from '../../src/database/sql.ts';

export interface SubmissionRow {
  readonly id: number;
  readonly reference: string;
  readonly project: string;
  readonly service: ServiceLevel;
  readonly status: SubmissionState;
  readonly url_count: number;
  readonly urls_completed: number;
  readonly urls_failed: number;
  readonly price: Micros;
  readonly charged: Micros;
  readonly refunded: Micros;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  /** When its URLs were deleted. */
  readonly urls_deleted_at: number | null;
}

/** The columns of a SubmissionRow. */
export const SUBMISSION_COLUMNS = raw(
  `id, reference, project, service, status, url_count, urls_completed, urls_failed, price, charged, refunded,
   created_at, started_at, finished_at, urls_deleted_at`,
);

/** An amount as a JSON number: exact, because a number of at most 15 digits prints as it was meant. */
export const lira = (amount: Micros): number => amount / MICROS_PER_TRY;

export const isoTime = (time: number): string => new Date(time).toISOString();
export const isoTimeOrNull = (time: number | null): string | null => (time === null ? null : isoTime(time));

/** The record of a submission as the API shows it. */
export function toSubmission(row: SubmissionRow): Submission {
  return {
    reference: row.reference,
    status: row.status,
    project: row.project,
    service: row.service,
    url_count: row.url_count,
    urls_pending: row.url_count - row.urls_completed - row.urls_failed,
    urls_completed: row.urls_completed,
    urls_failed: row.urls_failed,
    price_per_url: lira(row.price),
    charged: lira(row.charged),
    refunded: lira(row.refunded),
    currency: CURRENCY,
    created_at: isoTime(row.created_at),
    started_at: isoTimeOrNull(row.started_at),
    finished_at: isoTimeOrNull(row.finished_at),
  };
}
