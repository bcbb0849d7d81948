import { parse } from 'yaml';
import { PLAIN, type Profile } from '../../fakes/service/profile.ts';
import { createSeededProfile } from '../../fakes/service/profiles/seeded.ts';
import type { CheckedUrl, Job, JobState } from '../../fakes/service/records.ts';
import { seeded } from '../../support/seeded.ts';
import type { NetRequest, NetResponse } from '../platform/network.ts';
import type { Ask } from './programs.ts';

/** How a service shows long lists, which the specification leaves open. */
export interface Paging {
  /** Entries on a page at most, whatever is asked for. */
  readonly pageLimit: number;
  /** A new job is not in the list for so long at most. */
  readonly lagMs: number;
  /** Each page comes from a copy that lags on its own: two pages repeat an entry, or leave one out between them. */
  readonly copies: boolean;
  /** Filters apply after the pages are cut: pages are short or empty, and others follow. */
  readonly filtersPages: boolean;
}

export interface Dialect extends Paging {
  /** The seeded profile whose names and shapes it has; null: those of our service. */
  readonly profile: number | null;
  /** Answers to index-checks are in its words, too; absent: they are ours. */
  readonly speaksOfChecks?: boolean;
}

/** Those that name the pages which follow: only they may have an empty page between others. */
const STATES_PAGES: ReadonlySet<string> = new Set(['items', 'by place', 'results and next', 'edges']);

export const mayFilterPages = (profile: number | null): boolean =>
  profile === null || STATES_PAGES.has(createSeededProfile(profile).chosen.list!);

/** Whether a job shows the URLs that have failed. */
export const showsFailures = ({ profile }: Dialect): boolean =>
  profile === null || createSeededProfile(profile).chosen.URLs !== 'none';

/** What an account's configuration says about its service. */
export function toAccountSettings({ profile }: Dialect): Record<string, unknown> {
  const text = profile === null ? '' : createSeededProfile(profile).account;
  return text === '' ? {} : (parse(`{ ${text} }`) as Record<string, unknown>);
}

interface Shown {
  readonly reference: string;
  readonly status: JobState;
  readonly project: string;
  readonly service: string;
  readonly url_count: number;
  readonly charged: number;
  readonly created_at: string;
}

interface ShownUrl {
  readonly url: string;
  readonly status: string;
}

/** One page of either list holds as many at most. */
const MOST_JOBS = 100;
const MOST_URLS = 500;
const FILTERS = ['status', 'reference', 'url', 'q', 'from', 'to'];

/** Answers in the words of a service by other people: the jobs, charges and balances are those of ours. */
export class Speaker {
  readonly #dialect: Dialect;
  readonly #profile: Profile;
  readonly #getLatestTime: (agoMs: number) => number;
  readonly #random: () => number;

  /** `getLatestTime`: the latest time that the service's clock showed so many milliseconds ago or before. */
  constructor(dialect: Dialect, getLatestTime: (agoMs: number) => number, seed: number) {
    this.#dialect = dialect;
    this.#profile = dialect.profile === null ? PLAIN : createSeededProfile(dialect.profile);
    this.#getLatestTime = getLatestTime;
    this.#random = seeded(seed ^ 0x11a9);
  }

  async answer(request: NetRequest, ask: Ask): Promise<NetResponse> {
    const { pathname: path, searchParams: query } = new URL(request.path, request.origin);
    if (request.method === 'GET' && path.endsWith('/submissions')) return this.#answerList(request, query, ask);
    if (request.method === 'GET' && path.includes('/submissions/')) return this.#answerJob(request, path, query, ask);
    const answer = await ask(request);
    if (!isSuccess(answer) || this.#dialect.profile === null) return answer;
    if (path.endsWith('/balance')) {
      const { balance } = readData<{ balance: number }>(answer);
      return withData(answer, this.#profile.balance(toKurus(balance)));
    }
    if (this.#dialect.speaksOfChecks === true && path.endsWith('/index-check')) {
      const { results } = readData<{ results: readonly CheckedUrl[] }>(answer);
      return withData(answer, this.#profile.checked(results));
    }
    if (request.method !== 'POST' || !path.endsWith('/submissions')) return answer;
    const isReplay = answer.status === 200;
    const { urls } = JSON.parse(request.body.toString('utf8')) as { urls: string[] };
    const job = toJob(readData<Shown>(answer), urls);
    const { balance } = readData<{ balance: number }>(await ask(toGet(request, '/balance')));
    const data = this.#profile.accepted(job, toKurus(balance), isReplay);
    return { ...withData(answer, data), status: isReplay ? this.#profile.replayStatus : answer.status };
  }

  async #answerList(request: NetRequest, query: URLSearchParams, ask: Ask): Promise<NetResponse> {
    const { pageLimit, lagMs, copies, filtersPages } = this.#dialect;
    const page = Number(query.get('page') ?? 1);
    const limit = Math.min(Number(query.get('limit') ?? 20), pageLimit);
    const search = this.#profile.search === 'project' ? FILTERS : FILTERS.filter((name) => name !== 'q');
    const filters = new URLSearchParams([...query].filter(([name]) => search.includes(name)));
    const matching = await this.#readAll(request, filters, ask);
    if ('refusal' in matching) return matching.refusal;
    const all = filtersPages ? await this.#readAll(request, new URLSearchParams(), ask) : matching;
    if ('refusal' in all) return all.refusal;
    const newest = this.#getLatestTime(copies ? this.#random() * lagMs : lagMs);
    const listed = all.filter(({ created_at: at }) => Date.parse(at) <= newest);
    const wanted = new Set(matching.map(({ reference }) => reference));
    const shown = listed.slice((page - 1) * limit, page * limit).filter(({ reference }) => wanted.has(reference));
    const jobs = shown.map((job) =>
      toJob(
        job,
        Array.from({ length: job.url_count }, () => ''),
      ),
    );
    return toResponse(this.#profile.list(jobs, { page, limit, total: listed.length }));
  }

  /** All jobs that the service lists under these filters, or its refusal. */
  async #readAll(
    request: NetRequest,
    filters: URLSearchParams,
    ask: Ask,
  ): Promise<readonly Shown[] | { readonly refusal: NetResponse }> {
    const all: Shown[] = [];
    for (let page = 1; ; page++) {
      const more = new URLSearchParams([...filters, ['page', String(page)], ['limit', String(MOST_JOBS)]]);
      const answer = await ask(toGet(request, `/submissions?${more}`));
      if (!isSuccess(answer)) return { refusal: answer };
      const { submissions } = readData<{ submissions: readonly Shown[] }>(answer);
      all.push(...submissions);
      if (submissions.length < MOST_JOBS) return all;
    }
  }

  async #answerJob(request: NetRequest, path: string, query: URLSearchParams, ask: Ask): Promise<NetResponse> {
    const page = Number(query.get('url_page') ?? 1);
    const limit = Math.min(Number(query.get('url_limit') ?? 100), this.#dialect.pageLimit * 5);
    const urls: ShownUrl[] = [];
    for (let each = 1; ; each++) {
      const answer = await ask({ ...request, path: `${path}?url_page=${each}&url_limit=${MOST_URLS}` });
      if (!isSuccess(answer)) return answer;
      const shown = readData<Shown & { readonly urls: readonly ShownUrl[] }>(answer);
      urls.push(...shown.urls);
      if (shown.urls.length === MOST_URLS) continue;
      const failed = new Set(urls.flatMap(({ status }, n) => (status === 'failed' ? [n] : [])));
      const job = {
        ...toJob(
          shown,
          urls.map(({ url }) => url),
        ),
        failed,
      };
      if (this.#dialect.profile !== null) return toResponse(this.#profile.detail(job, { page, limit }));
      const first = (page - 1) * limit;
      return withData(answer, {
        ...shown,
        urls: urls.slice(first, first + limit),
        url_pagination: { page, limit, total: urls.length, total_pages: Math.ceil(urls.length / limit) },
      });
    }
  }
}

const toKurus = (lira: number): number => Math.round(lira * 1e6) / 1e4;

const toJob = (shown: Shown, urls: readonly string[]): Job => ({
  reference: shown.reference,
  project: shown.project,
  service: shown.service,
  urls,
  cost: toKurus(shown.charged),
  at: Date.parse(shown.created_at),
  state: shown.status,
});

/** A request of the same client. */
function toGet(request: NetRequest, path: string): NetRequest {
  const { 'idempotency-key': _key, 'content-type': _type, 'content-length': _length, ...headers } = request.headers;
  return { ...request, method: 'GET', path: `/api/v1${path}`, headers, body: Buffer.alloc(0) };
}

const isSuccess = ({ status }: NetResponse): boolean => status === 200 || status === 202;

const readData = <T>({ body }: NetResponse): T => (JSON.parse(body.toString('utf8')) as { data: T }).data;

function withData(answer: NetResponse, data: unknown): NetResponse {
  const body = Buffer.from(JSON.stringify({ ...(JSON.parse(answer.body.toString('utf8')) as object), data }));
  return { ...answer, headers: { ...answer.headers, 'content-length': String(body.length) }, body };
}

const toResponse = (data: unknown): NetResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(
    JSON.stringify({ success: true, status: 'success', message: 'OK', data, request_id: 'req_dialect' }),
  ),
});
