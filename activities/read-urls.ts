import { Context } from '@temporalio/activity';
import { LIMITS } from '../contract/limits.ts';
import { unwrapData } from '../src/api-client/errors.ts';
import { readPages } from '../src/api-client/find-batch-in-doubt.ts';
import { areAllCompleted, type SubmissionDetail, type UrlView } from '../src/api-client/read/submission.ts';
import { recordAllCompleted, recordUrlResults, type UrlResult } from '../src/ledger/jobs/settle-job.ts';
import { mergeUnread, type Unread, type UnreadPart } from '../src/submission/unread.ts';
import type { TrackInput } from '../src/temporal-api/payloads.ts';
import type { Deps } from './deps.ts';

const COMPLETED = 'completed';

export interface UrlsRead {
  /** The state that is shown beside the URLs, else the one that was given. */
  readonly state: string;
  readonly unread: Unread;
}

const isAddress = ({ what }: UnreadPart): boolean => what === 'url_address';

/** The pages of a job's URLs, until every URL was shown. */
export async function* readUrlPages({ getApi }: Deps, job: TrackInput): AsyncGenerator<SubmissionDetail> {
  let shown = 0;
  const pages = readPages(
    (urlPage) =>
      getApi(job.account)
        .request('poll', (client) => client.getSubmission(job.reference, { urlPage, urlLimit: LIMITS.urlPage.max }))
        .then(unwrapData),
    // A page of entries whose addresses cannot be read is not an empty page: what is missing must be said.
    ({ urls, unread }) => urls.map(({ url }) => url).join(' ') || (unread.find(isAddress)?.names.join(' ') ?? ''),
  );
  for await (const page of pages) {
    Context.current().heartbeat();
    yield page;
    shown += page.urls.length;
    if (shown >= job.urls) break;
  }
}

/**
 * Reads what the service says of each URL of a job into the ledger, page by page. A completed job may have failed URLs: its
 * list entry or the first page says so with its counts, or each page has to.
 */
export async function readUrls(deps: Deps, job: TrackInput, state: string): Promise<UrlsRead> {
  const { ledger } = deps;
  const { account, reference } = job;
  let read: UrlsRead = { state, unread: [] };
  for await (const { submission, urls, unread } of readUrlPages(deps, job)) {
    read = { state: submission.state ?? state, unread: mergeUnread(read.unread, unread) };
    if (read.state === COMPLETED && areAllCompleted(submission) === true) {
      await recordAllCompleted(ledger, account, reference);
      break;
    }
    await recordUrlResults(ledger, account, reference, urls.map(toUrlResult));
  }
  return read;
}

export const toUrlResult = ({ url, state, statusName: word, reason }: UrlView): UrlResult => ({
  url,
  result: state,
  // A word that is not understood must be seen: status_map may name it.
  reason: state === 'open' ? [word, reason].filter((text) => text !== null).join(': ') || null : reason,
});
