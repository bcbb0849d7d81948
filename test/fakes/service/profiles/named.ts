import { type ErrorCause, getUrlPage, PLAIN, type Profile } from '../profile.ts';
import { hasEnded, isFailed, type Job } from '../records.ts';

const toLira = (kurus: number): string => (kurus / 100).toFixed(2);
const money = (kurus: number) => ({ amount: toLira(kurus), currency: 'TRY' });

const toUrlState = (job: Job, n: number, [done, failed, open]: readonly [string, string, string]): string =>
  hasEnded(job) ? (isFailed(job, n) ? failed : done) : open;

/** Repeats the credential, as services do that log too much. */
const error = (cause: ErrorCause, credential: string) => ({
  code: cause.toUpperCase().replaceAll('-', '_'),
  message: cause === 'unauthenticated' ? `${credential} is not a key of ours` : cause.replaceAll('-', ' '),
});

const shared = { ...PLAIN, error, retryAfter: () => ({ 'retry-after': '1' }) };

const camel: Profile = {
  ...shared,
  name: 'camel',
  reference: (n) => `job/${n}`,
  accepted: (job, balance) => ({
    reference: job.reference,
    submission: { id: 77, state: job.state.toUpperCase(), urlCount: job.urls.length },
    totalCost: money(job.cost),
    balanceAfter: money(balance),
  }),
  list: (jobs, { page, limit, total }) => ({
    items: jobs.map((job) => ({
      jobReference: job.reference,
      state: job.state.toUpperCase(),
      projectName: job.project,
      createdAt: new Date(job.at).toISOString(),
      urlCount: job.urls.length,
    })),
    pagination: { page, totalPages: Math.ceil(total / limit) },
  }),
  detail: (job, paging) => ({
    submission: { reference: job.reference, state: job.state.toUpperCase() },
    urls: {
      items: getUrlPage(job, paging).map(([link, n]) => ({
        link,
        outcome: toUrlState(job, n, ['DONE', 'REJECTED', 'waiting-in-line']),
        error: isFailed(job, n) ? { code: 'E1', message: 'page not reachable' } : null,
      })),
      pageInfo: { hasNextPage: paging.page * paging.limit < job.urls.length },
    },
  }),
  balance: (kurus) => ({ wallet: { balance: money(kurus) } }),
  checked: (results) => ({ items: results.map(({ url, found }) => ({ link: url, inIndex: found })) }),
  badUrls: (all, bad) => ({ details: bad.map((url) => ({ index: all.indexOf(url), reason: 'blocked host' })) }),
  headers: () => ({
    'ratelimit-policy': '"minute";q=120;w=60, "hour";q=3000;w=3600, "day";q=30000;w=86400',
    ratelimit: '"minute";r=100;t=30, "hour";r=2900;t=1800, "day";r=29000;t=40000',
  }),
};

const paginator: Profile = {
  ...shared,
  name: 'paginator',
  reference: (n) => String(1_000_000 + n),
  accepted: (job) => ({ job: { reference: Number(job.reference), status: 'Queued', cost: `${toLira(job.cost)} TRY` } }),
  list: (jobs, { page, limit, total }) => ({
    submissions: {
      current_page: page,
      data: jobs.map((job) => ({
        reference: Number(job.reference),
        status: job.state,
        project: { id: 1, name: job.project },
        created_at: new Date(job.at).toISOString().slice(0, 19).replace('T', ' '),
        urls_count: String(job.urls.length),
      })),
      last_page: Math.max(1, Math.ceil(total / limit)),
      per_page: String(limit),
      total,
    },
  }),
  detail: (job, paging) => ({
    reference: Number(job.reference),
    status: job.state,
    url_states: Object.fromEntries(
      getUrlPage(job, paging).map(([url, n]) => [url, toUrlState(job, n, ['success', 'failure', 'queued'])]),
    ),
    meta: { current_page: paging.page, last_page: Math.max(1, Math.ceil(job.urls.length / paging.limit)) },
  }),
  balance: (kurus) => ({
    balance: new Intl.NumberFormat('tr-TR', { style: 'currency', currency: 'TRY' }).format(kurus / 100),
  }),
  checked: (results) => ({
    checks: Object.fromEntries(
      results.map(({ url, found }) => [url, { status: 'done', result: found ? 'FOUND' : 'not found' }]),
    ),
  }),
  badUrls: (all, bad) => ({
    errors: Object.fromEntries(bad.map((url) => [`urls.${all.indexOf(url)}`, ['The URL is blocked.']])),
  }),
  headers: (now) => ({
    'x-ratelimit-limit': '120',
    'x-ratelimit-remaining': '100',
    'x-ratelimit-reset': String(Math.ceil(now / 1000) + 30),
  }),
};

/** Says as little as the specification allows. */
const bare: Profile = {
  ...shared,
  name: 'bare',
  search: 'nothing',
  reference: (n) => `SUB-${String(n).padStart(8, '0')}`,
  accepted: (job) => ({ reference: job.reference }),
  list: (jobs) =>
    jobs.map((job) => ({
      reference: job.reference,
      status: job.state,
      date: new Date(job.at).toISOString().slice(0, 10),
    })),
  detail: (job, paging) => ({
    status: job.state,
    results: getUrlPage(job, paging).map(([url, n]) => ({
      url,
      status: toUrlState(job, n, ['ok', 'error', 'frobnicating']),
    })),
  }),
  balance: (kurus) => ({ balance: kurus / 100, currency: 'TRY' }),
  checked: (results) => results.map(({ found }) => ({ found })),
  badUrls: (_, bad) => ({ details: { invalid_urls: bad } }),
  headers: () => ({
    'x-ratelimit-limit-minute': '120',
    'x-ratelimit-remaining-minute': '100',
    'x-ratelimit-remaining-hour': '2900',
    'x-ratelimit-remaining-day': '29000',
  }),
};

/** Three services that differ from ours wherever the specification leaves room. */
export const NAMED_PROFILES: readonly Profile[] = [camel, paginator, bare];
