import type { OpenSubmission } from '../src/ledger/jobs/record-poll.ts';
import type { BatchId, Reference } from '../src/submission/ids.ts';

/** What a process knows of the trackers of an account. */
export interface TrackedJobs {
  /** Jobs whose tracker this process has started or found, the latest at the end. */
  readonly references: Set<Reference>;
  /** Jobs whose tracker could not be started: tried again each time, however old they are. */
  readonly missing: Map<Reference, OpenSubmission>;
  /** The last batch of the ledger when its open jobs were listed; null before all of them were. */
  lastBatch: BatchId | null;
}

export const newTrackedJobs = (): TrackedJobs => ({ references: new Set(), missing: new Map(), lastBatch: null });
