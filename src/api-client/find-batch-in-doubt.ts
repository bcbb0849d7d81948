import type { ApiAnswer } from '../submission/answer.ts';
import type { Reference } from '../submission/ids.ts';
import { type BatchInDoubt, type Candidate, compareUrls, findProof } from '../submission/reconcile.ts';
import type { ListQuery } from './client.ts';
import { NotFoundError, unwrapData } from './errors.ts';
import type { Page } from './read/list.ts';
import type { SubmissionDetail, SubmissionsPage, SubmissionView } from './read/submission.ts';

/** The two requests that a search needs; each call is one request of the budget and may reject for lack of it. */
export interface ListAndDetail {
  list(query: ListQuery): Promise<ApiAnswer<SubmissionsPage>>;
  detail(
    reference: Reference,
    page: { readonly urlPage: number; readonly urlLimit: number },
  ): Promise<ApiAnswer<SubmissionDetail>>;
  /** Recorded for another batch already: it cannot be the lost one. */
  readonly isTaken: (reference: Reference) => Promise<boolean>;
}

export type Search =
  | { readonly kind: 'found'; readonly submission: SubmissionView }
  /** The whole list was read and it is not there: the bytes may go again. */
  | { readonly kind: 'absent' }
  /** The list proves neither: the batch needs review, and nothing is sent. */
  | { readonly kind: 'unsure'; readonly message: string };

const DAY_MS = 86_400_000;
const LIST_LIMIT = 100;
const URL_LIMIT = 500;
/** A service that ignores the filters shows its whole history: then the search gives up rather than read a year. */
const MOST_PAGES = 20;
const MOST_COMPARED = 10;

/**
 * Looks in the service's own list for a batch whose answer was lost: by the tag in its project (`q`), then by its first
 * URL (spec 4.5). What `q` searches is not specified, so an empty answer to it proves nothing; the URL filter does.
 * Throws the ApiError of a request that fails.
 */
export async function findBatchInDoubt(batch: BatchInDoubt, ask: ListAndDetail): Promise<Search> {
  // A day earlier than the first attempt: the service counts its days in its own zone.
  const from = new Date(batch.firstSentAt - DAY_MS).toISOString().slice(0, 10);
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
    if (++read >= MOST_PAGES) return unsure('the service shows more than 2,000 jobs for the batch');
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
  message: `${what}; it may be charged already, so nothing is sent again. Look it up at the service, then decide`,
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

/** As the client throws it, or as the failure that an activity makes of it. */
const isNotFound = (error: unknown): boolean =>
  error instanceof NotFoundError || (error as { type?: unknown } | null)?.type === NotFoundError.name;

/**
 * Pages until the last one. A service that says nothing about pages ends with an empty page; one that ignores the page
 * number repeats itself, and is read once.
 */
export async function* readPages<Found extends { readonly page: Page }>(
  ask: (page: number) => Promise<Found>,
  contentOf: (found: Found) => string,
): AsyncGenerator<Found> {
  let before: string | null = null;
  for (let page = 1; ; page++) {
    const found = await ask(page).catch((error: unknown) => {
      // Some have no page behind the last one, and say so as if it were an address that does not exist.
      if (page > 1 && isNotFound(error)) return null;
      throw error;
    });
    if (found === null) return;
    const content = contentOf(found);
    if (content === before || content === '') return;
    yield found;
    if (found.page.last && found.page.stated) return;
    before = content;
  }
}
