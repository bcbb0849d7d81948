import { LIMITS } from '../../contract/limits.ts';
import { unwrapData } from '../api-client/errors.ts';
import { areAllCompleted, type SubmissionView } from '../api-client/read/submission.ts';
import type { Reference } from '../submission/ids.ts';
import type { JobStatusCache, ReportedStatus } from './job-status-cache.ts';
import {
  createJobStatusLoader,
  type JobStatusLoader,
  type JobStatusSource,
  type LoaderSettings,
} from './job-status-loader.ts';
import type { LimitedClient } from './limited-client.ts';

/** Poll requests that arrive within this time share one request. */
const GATHER_MS = 250;

/** The job status of an account: list pages for many jobs, the job's own address for a single one. */
export function createAccountJobStatus(
  api: LimitedClient,
  statusCache: JobStatusCache,
  positions: JobStatusSource['positions'],
  settings: Partial<LoaderSettings> = {},
): JobStatusLoader {
  async function inList(reference: Reference): Promise<SubmissionView | null> {
    const { submissions } = unwrapData(await api.request('poll', (client) => client.listSubmissions({ reference })));
    return submissions.find((each) => each.reference === reference && each.state !== null) ?? null;
  }

  return createJobStatusLoader(
    {
      positions,
      async one(reference) {
        const detail = await api.request('poll', (client) => client.getSubmission(reference, { urlLimit: 1 }));
        // Not found although accepted: the list may have it (a lagging replica of the service, a moved address).
        const listed = detail.status === 404 ? await inList(reference) : null;
        return toJobStatus(listed ?? unwrapData(detail).submission);
      },
      async page(page) {
        const found = unwrapData(
          await api.request('poll', (client) => client.listSubmissions({ page, limit: LIMITS.listPage.max })),
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

/** A job without a state is open and shown as queued. */
const toJobStatus = (view: SubmissionView): ReportedStatus => ({
  reference: view.reference,
  state: view.state ?? 'queued',
  allCompleted: areAllCompleted(view),
});
