import type { RunSummary } from '../src/ledger/reports/run-summary.ts';
import type { RunReport } from '../src/temporal-api/payloads.ts';

/** What a run reports of its batches. In its own file, because a run without Temporal needs it without Temporal's SDK. */
export function toRunReport(summary: RunSummary): RunReport {
  const {
    batches,
    submitted,
    completed,
    failed,
    open,
    quarantined,
    withoutResult,
    withoutResultBatch,
    needsReview: stopped,
    charged,
    unknownChargeUrls,
    unanswered,
  } = summary;
  return {
    batches,
    submitted,
    completed,
    failed,
    open,
    quarantined,
    withoutResult,
    withoutResultBatch,
    stopped,
    charged,
    unknownChargeUrls,
    unanswered,
  };
}
