import { type CheckedUrl, hasEnded, isFailed, type Job, type Refusal } from './records.ts';

export interface Paging {
  readonly page: number;
  readonly limit: number;
}

export type ErrorCause =
  | Refusal
  | 'unauthenticated'
  | 'not-json'
  | 'not-found'
  | 'no-such-page'
  | 'server-error'
  | 'unavailable'
  | 'rate-limited';

/** Everything that the specification leaves to the service. Money in kuruş, times in epoch milliseconds. */
export interface Profile {
  readonly name: string;
  /** Settings of the account, as entries of a YAML object, that tell the connector what it cannot know: words, names, amounts. */
  readonly account: string;
  readonly reference: (n: number) => string;
  readonly accepted: (job: Job, balance: number, replay: boolean) => unknown;
  readonly replayStatus: number;
  /** Which job the list shows first; default: the newest. */
  readonly listsFirst?: 'newest' | 'oldest';
  readonly list: (jobs: readonly Job[], paging: Paging & { readonly total: number }) => unknown;
  readonly detail: (job: Job, paging: Paging) => unknown;
  readonly checked: (results: readonly CheckedUrl[]) => unknown;
  readonly balance: (kurus: number) => Record<string, unknown>;
  /** The error that the envelope holds; `credential` is what the client sent. */
  readonly error: (cause: ErrorCause, credential: string) => { readonly code: string; readonly message: string };
  /** How a 422 names the URLs that it is about; empty: it does not. */
  readonly badUrls: (all: readonly string[], bad: readonly string[]) => object;
  /** The project as the list shows and searches it. */
  readonly project: (name: string) => string;
  /** What `q` is compared with; ignored: every job matches. */
  readonly search: 'project' | 'nothing' | 'ignored';
  /** The form in which URLs are compared and shown. */
  readonly url: (url: string) => string;
  readonly longestPage: number;
  /** A page behind the last one is a 404. */
  readonly noSuchPage: boolean;
  /** Spaces of indentation in the JSON. */
  readonly indent: number;
  /** The body as it is sent, and its Content-Encoding. */
  readonly encode: (text: string) => { readonly bytes: Buffer; readonly encoding: string | null };
  /** Rate-limit headers of every answer. */
  readonly headers: (now: number) => Record<string, string>;
  readonly retryAfter: (status: 409 | 429 | 503, now: number) => Record<string, string>;
}

/** The URLs of one page of a job, with their positions in it. */
export const getUrlPage = ({ urls }: Job, { page, limit }: Paging): (readonly [string, number])[] =>
  urls.slice((page - 1) * limit, page * limit).map((url, n) => [url, (page - 1) * limit + n] as const);

/** Names and shapes that the specification itself suggests. */
export const PLAIN: Profile = {
  name: 'plain',
  account: '',
  reference: (n) => `R-${n}`,
  accepted: (job) => show(job),
  replayStatus: 200,
  list: (jobs, { page, limit, total }) => ({
    submissions: jobs.map(show),
    pagination: { page, limit, total, total_pages: Math.ceil(total / limit) },
  }),
  detail: (job) => show(job),
  checked: (results) => ({ results, charged: results.length / 2 }),
  balance: (kurus) => ({ balance: kurus / 100, currency: 'TRY' }),
  error: (cause) => ({ code: cause.toUpperCase().replaceAll('-', '_'), message: cause.replaceAll('-', ' ') }),
  badUrls: () => ({}),
  project: (name) => name,
  search: 'project',
  url: (url) => url,
  longestPage: 500,
  noSuchPage: false,
  indent: 0,
  encode: (text) => ({ bytes: Buffer.from(text), encoding: null }),
  headers: () => ({}),
  retryAfter: () => ({}),
};

/** Shows the URLs of a job in its detail. */
export const SHOWS_URLS: Profile = {
  ...PLAIN,
  detail: (job, paging) => ({
    ...(PLAIN.detail(job, paging) as object),
    urls: getUrlPage(job, paging).map(([url]) => ({ url, status: 'queued' })),
  }),
};

/** Its list is late: it lists nothing yet. */
export const LISTS_NOTHING: Profile = { ...SHOWS_URLS, list: (_, paging) => PLAIN.list([], paging) };

const show = (job: Job) => ({
  reference: job.reference,
  status: job.state,
  service: job.service,
  project: job.project,
  url_count: job.urls.length,
  price_per_url: job.cost / job.urls.length / 100,
  charged: job.cost / 100,
  created_at: new Date(job.at).toISOString(),
  ...(hasEnded(job) ? { failed_urls: job.urls.filter((_, n) => isFailed(job, n)).length } : {}),
});
