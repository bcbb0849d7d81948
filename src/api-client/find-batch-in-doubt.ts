import type { ApiAnswer } from '../submission/answer.ts';
import type { Reference } from '../submission/ids.ts';
import { formatDay } from '../submission/instant.ts';
import { type BatchInDoubt, type Candidate, compareUrls, findProof } from '../submission/reconcile.ts';
import type { ListQuery } from './client.ts';
import { NotFoundError, unwrapData } from './errors.ts';
import type { Page } from './read/list.ts';
import type { SubmissionDetail, SubmissionsPage, SubmissionView } from './read/submission.ts';

/** The two requests that a search needs. Each call spends one request of the budget and may be denied. */
export interface ListAndDetail {
  list(query: ListQuery): Promise<ApiAnswer<SubmissionsPage>>;
  detail(
    reference: Reference,
    page: { readonly urlPage: number; readonly urlLimit: number },
  ): Promise<ApiAnswer<SubmissionDetail>>;
  /** Already recorded for another batch, so it cannot be the batch in doubt. */
  readonly isTaken: (reference: Reference) => Promise<boolean>;
}

export type Search =
  | { readonly kind: 'found'; readonly submission: SubmissionView }
  /** The whole list was read without a match: the same bytes may be sent again. */
  | { readonly kind: 'absent' }
  /** The list proves neither: the batch needs review and is not sent again. */
  | { readonly kind: 'unsure'; readonly message: string };

const DAY_MS = 86_400_000;
const LIST_LIMIT = 100;
const URL_LIMIT = 500;
/** A service that ignores the filters returns its whole history; the search stops rather than read a year of jobs. */
const MOST_PAGES = 20;
const MOST_COMPARED = 10;

/**
 * Searches the service's list for a batch in doubt: first by the tag in its project (`q`), then by its first URL
 * (spec 4.5). The specification does not say what `q` searches, so an empty result proves nothing; the URL filter does.
 * Throws the ApiError of a failed request.
 */
export async function findBatchInDoubt(batch: BatchInDoubt, ask: ListAndDetail): Promise<Search> {
  // Start a day before the first attempt: the service counts days in its own time zone.
  const from = formatDay(batch.firstSentAt - DAY_MS);
  const tagged = await search(batch, ask, { q: batch.tag, from }, false);
  if (tagged.kind === 'found') return tagged;
  const [url] = batch.urls;
  if (url === undefined) throw new RangeError('a batch in doubt has at least one URL');
  return search(batch, ask, { url, from }, true);
}

async function search(batch: BatchInDoubt, ask: ListAndDetail, query: ListQuery, compare: boolean): Promise<Search> {
  const undecided: SubmissionView[] = [];
  const pages = readPages(
    (page) => ask.list({ ...query, page, limit: LIST_LIMIT }).then(unwrapData),
    (found) => found.submissions.map(({ reference }) => reference).join(),
  );
  let read = 0;
  for await (const { submissions } of pages) {
    for (const submission of submissions) {
      const proof = findProof(toCandidate(submission), batch);
      if (proof.kind === 'same') return { kind: 'found', submission };
      if (proof.kind === 'compare-urls' && !(await ask.isTaken(submission.reference))) undecided.push(submission);
    }
    if (++read >= MOST_PAGES) return unsure('the service lists more than 2,000 jobs that may be the batch');
  }
  if (!compare) return { kind: 'absent' };
  if (undecided.length > MOST_COMPARED) return unsure(`${undecided.length} jobs of the list may be the batch`);
  const unclear: SubmissionView[] = [];
  for (const submission of undecided) {
    const compared = compareUrls(batch.urls, await readUrls(submission.reference, ask));
    if (compared === 'same') return { kind: 'found', submission };
    if (compared === 'unsure') unclear.push(submission);
  }
  if (unclear.length === 0) return { kind: 'absent' };
  return unsure(
    `${unclear.map(({ reference }) => reference).join(', ')} may be the batch and does not show all its URLs`,
  );
}

const unsure = (what: string): Search => ({
  kind: 'unsure',
  message: `${what}; it may already be charged, so nothing is sent again. Find the job at the service, then resolve the batch`,
});

const toCandidate = ({ reference, project, createdAt, urlCount }: SubmissionView): Candidate => ({
  reference,
  project,
  createdAt,
  urlCount,
});

async function readUrls(reference: Reference, ask: ListAndDetail): Promise<string[]> {
  const urls: string[] = [];
  const pages = readPages(
    (urlPage) => ask.detail(reference, { urlPage, urlLimit: URL_LIMIT }).then(unwrapData),
    (found) => found.urls.map(({ url }) => url).join(' '),
  );
  for await (const page of pages) urls.push(...page.urls.map(({ url }) => url));
  return urls;
}

/** As the client throws it, or as the failure that an activity turns it into. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof NotFoundError || (error as { type?: unknown } | null)?.type === NotFoundError.name;

/** Empty pages in a row after which the statement that more follow is ignored. */
const MOST_EMPTY = 100;
/** The same for pages that repeat the one before. */
const MOST_REPEATED = 3;

/** Reads pages up to the last one, as `createPageReader` does. */
export async function* readPages<Found extends { readonly page: Page }>(
  ask: (page: number) => Promise<Found>,
  contentOf: (found: Found) => string,
): AsyncGenerator<Found> {
  const next = createPageReader(ask, contentOf);
  for (let found = await next(); found !== null; found = await next()) yield found;
}

/**
 * Reads the next page, or null after the last one. A request that fails is made again by the next call.
 *
 * For a service without page information, an empty page is the last; one that ignores the page number repeats the first
 * page, which is read once. A service may fill its pages with less than requested: one that states a total has shown all
 * pages when their entries are as many. One that states further pages may show an empty page before them, or repeat a page
 * because new jobs shift all others.
 */
export function createPageReader<Found extends { readonly page: Page }>(
  ask: (page: number) => Promise<Found>,
  contentOf: (found: Found) => string,
): () => Promise<Found | null> {
  let page = 1;
  let isOver = false;
  let before: string | null = null;
  let seen = 0;
  let empty = 0;
  let repeated = 0;
  return async () => {
    for (; !isOver; page++) {
      const found = await ask(page).catch((error: unknown) => {
        // Some services return 404 for the page after the last one.
        if (page > 1 && isNotFound(error)) return null;
        throw error;
      });
      if (found === null) break;
      const { last, stated, total, count } = found.page;
      const content = contentOf(found);
      const statesMore = stated && !last;
      empty = content === '' ? empty + 1 : 0;
      repeated = content === before ? repeated + 1 : 0;
      if (content === '' || content === before) {
        if (statesMore && empty < MOST_EMPTY && repeated < MOST_REPEATED) continue;
        break;
      }
      seen += count;
      before = content;
      isOver = last && stated && (total === null || seen >= total);
      page++;
      return found;
    }
    isOver = true;
    return null;
  };
}
