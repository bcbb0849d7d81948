import type { ApiAnswer } from '../submission/answer.ts';
import type { Reference } from '../submission/ids.ts';
import type { ApiClient, ListQuery } from './client.ts';
import { readPages } from './find-batch-in-doubt.ts';
import type { SubmissionDetail, SubmissionsPage, SubmissionView, UrlView } from './read/submission.ts';

/** One request that spends nothing, when the budget allows it. Rejects with the ApiError of an answer that is none. */
export type Ask = <Data>(request: (client: ApiClient) => Promise<ApiAnswer<Data>>) => Promise<Data>;

const LIST_LIMIT = 100;
const URL_LIMIT = 500;

/**
 * Every job of the service's list (spec 4.5), oldest first, each once: a job that is submitted meanwhile moves the
 * pages, so one may come twice. Those without a time keep their place in the list, which is taken to be newest first.
 */
export async function listHistory(
  ask: Ask,
  from: string | null,
  tell: (jobs: number, total: number | null) => void,
): Promise<SubmissionView[]> {
  const found = new Map<Reference, SubmissionView>();
  for await (const { submissions, page } of readHistoryPages(ask, from)) {
    for (const submission of submissions) found.set(submission.reference, submission);
    tell(found.size, page.total);
  }
  return [...found.values()].reverse().sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
}

/** The pages of the service's list (spec 4.5), in its order; `from`: jobs since that day. */
export function readHistoryPages(ask: Ask, from: string | null): AsyncGenerator<SubmissionsPage> {
  const query = (page: number): ListQuery => ({ page, limit: LIST_LIMIT, ...(from === null ? {} : { from }) });
  return readPages<SubmissionsPage>(
    (page) => ask((client) => client.listSubmissions(query(page))),
    ({ submissions }) => submissions.map(({ reference }) => reference).join(),
  );
}

/** A job with every URL of it (spec 4.7), and what the service says of each. No submission: it shows no URL at all. */
export async function readJob(
  ask: Ask,
  reference: Reference,
): Promise<{ readonly submission: SubmissionView | null; readonly urls: readonly UrlView[] }> {
  const urls: UrlView[] = [];
  let submission: SubmissionView | null = null;
  const pages = readPages<SubmissionDetail>(
    (urlPage) => ask((client) => client.getSubmission(reference, { urlPage, urlLimit: URL_LIMIT })),
    (detail) => detail.urls.map(({ url }) => url).join(' '),
  );
  for await (const detail of pages) {
    submission ??= detail.submission;
    urls.push(...detail.urls);
  }
  return { submission, urls };
}
