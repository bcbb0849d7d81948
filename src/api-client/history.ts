import type { ApiAnswer } from '../submission/answer.ts';
import type { Reference } from '../submission/ids.ts';
import type { ApiClient, ListQuery } from './client.ts';
import { createPageReader, readPages } from './find-batch-in-doubt.ts';
import type { SubmissionDetail, SubmissionsPage, SubmissionView, UrlView } from './read/submission.ts';

/** Makes one free request when the budget allows it. Rejects with the ApiError of a failed request. */
export type SendRequest = <Data>(request: (client: ApiClient) => Promise<ApiAnswer<Data>>) => Promise<Data>;

const LIST_LIMIT = 100;
const URL_LIMIT = 500;

/**
 * Every job in the service's list (spec 4.5), oldest first, without duplicates: a job submitted meanwhile shifts the
 * pages, so one job may appear twice. Jobs without a time keep their list position, assuming that newest comes first.
 */
export async function listHistory(
  send: SendRequest,
  from: string | null,
  onProgress: (jobs: number, total: number | null) => void,
  to: string | null = null,
): Promise<SubmissionView[]> {
  const found = new Map<Reference, SubmissionView>();
  const next = createHistoryReader(send, from, to);
  for (let read = await next(); read !== null; read = await next()) {
    for (const submission of read.submissions) found.set(submission.reference, submission);
    onProgress(found.size, read.page.total);
  }
  return [...found.values()].reverse().sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
}

/**
 * Reads the next page of the service's list (spec 4.5), whatever its order; null after the last one. `from`, `to`: only jobs of
 * these days, both included; null: all. A request that fails is made again by the next call.
 */
export function createHistoryReader(
  send: SendRequest,
  from: string | null,
  to: string | null = null,
): () => Promise<SubmissionsPage | null> {
  const days = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
  const query = (page: number): ListQuery => ({ page, limit: LIST_LIMIT, ...days });
  return createPageReader<SubmissionsPage>(
    (page) => send((client) => client.listSubmissions(query(page))),
    ({ submissions }) => submissions.map(({ reference }) => reference).join(),
  );
}

/** A job with all its URLs (spec 4.7) and their states. Null submission: the service shows no URLs. */
export async function readJob(
  send: SendRequest,
  reference: Reference,
): Promise<{ readonly submission: SubmissionView | null; readonly urls: readonly UrlView[] }> {
  const urls: UrlView[] = [];
  let submission: SubmissionView | null = null;
  const pages = readPages<SubmissionDetail>(
    (urlPage) => send((client) => client.getSubmission(reference, { urlPage, urlLimit: URL_LIMIT })),
    (detail) => detail.urls.map(({ url }) => url).join(' '),
  );
  for await (const detail of pages) {
    submission ??= detail.submission;
    urls.push(...detail.urls);
  }
  return { submission, urls };
}
