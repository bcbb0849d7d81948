import type { OpenSubmission } from '../src/ledger/jobs/record-poll.ts';
import type { BatchId, Reference } from '../src/submission/ids.ts';

/** What a process knows about the trackers of an account. */
export interface TrackedJobs {
  /** Jobs whose tracker this process started or found, the latest last. */
  readonly references: Set<Reference>;
  /** Jobs whose tracker could not be started: retried each time, however old they are. */
  readonly missing: Map<Reference, OpenSubmission>;
  /** The ledger's last batch when its open jobs were listed; null before all were listed. */
  lastBatch: BatchId | null;
  /** When open jobs were last listed; null before that. */
  listedAt: number | null;
}

export const newTrackedJobs = (): TrackedJobs => ({
  references: new Set(),
  missing: new Map(),
  lastBatch: null,
  listedAt: null,
});
