import type { OpenSubmission } from '../src/ledger/jobs/record-poll.ts';
import type { Reading } from '../src/ledger/jobs/unread-jobs.ts';
import type { BatchId, Reference } from '../src/submission/ids.ts';

/** What a process knows about the trackers of an account. */
export interface TrackedJobs {
  /** Jobs whose tracker this process started or found, the latest last; with a reading, those that are read again. */
  readonly references: Set<string>;
  /** Jobs whose tracker could not be started: retried each time, however old they are. */
  readonly missing: Map<Reference, OpenSubmission>;
  /** The ledger's last batch when its open jobs were listed; null before all were listed. */
  lastBatch: BatchId | null;
  /** When open jobs were last listed; null before that. */
  listedAt: number | null;
  /** How answers were read then: another reading may end a job that is no longer polled. */
  reading: Reading | null;
}

export const newTrackedJobs = (): TrackedJobs => ({
  references: new Set(),
  missing: new Map(),
  lastBatch: null,
  listedAt: null,
  reading: null,
});
