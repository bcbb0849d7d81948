import { LIMITS } from '../../contract/limits.ts';
import { unwrapData } from '../api-client/errors.ts';
import type { SubmissionView } from '../api-client/read/submission.ts';
import type { Reference } from '../submission/ids.ts';
import type { JobStatusCache, JobStatusSeen } from './job-status-cache.ts';
import {
  createJobStatusLoader,
  type JobStatusLoader,
  type JobStatusSource,
  type LoaderSettings,
} from './job-status-loader.ts';
import type { LimitedClient } from './limited-client.ts';

/** Questions that come within this time are asked together. */
const GATHER_MS = 250;

/** The job status of an account: list pages for many jobs, the job's own address for one. */
export function createAccountJobStatus(
  api: LimitedClient,
  statusCache: JobStatusCache,
  places: JobStatusSource['positions'],
  settings: Partial<LoaderSettings> = {},
): JobStatusLoader {
  async function inList(reference: Reference): Promise<SubmissionView | null> {
    const { submissions } = unwrapData(await api.ask('poll', (client) => client.listSubmissions({ reference })));
    return submissions.find((each) => each.reference === reference && each.state !== null) ?? null;
  }

  return createJobStatusLoader(
    {
      positions: places,
      async one(reference) {
        const asked = await api.ask('poll', (client) => client.getSubmission(reference, { urlLimit: 1 }));
        // Not found, and paid for: the list may know it (a copy of the service that is behind, an address that moved).
        const listed = asked.status === 404 ? await inList(reference) : null;
        return toJobStatus(listed ?? unwrapData(asked).submission);
      },
      async page(page) {
        const found = unwrapData(
          await api.ask('poll', (client) => client.listSubmissions({ page, limit: LIMITS.listPage.max })),
        );
        if (found.submissions.length > 0 && found.submissions.every(({ state }) => state === null)) return null;
        return {
          seen: found.submissions.filter(({ state }) => state !== null).map(toJobStatus),
          length: found.page.last ? 0 : found.submissions.length,
        };
      },
    },
    statusCache,
    {
      gatherMs: GATHER_MS,
      pageLength: LIMITS.listPage.max,
      now: Date.now,
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      ...settings,
    },
  );
}

/** A job without a word on its state is open, and shown so. */
const toJobStatus = ({ reference, state }: SubmissionView): JobStatusSeen => ({ reference, state: state ?? 'queued' });
