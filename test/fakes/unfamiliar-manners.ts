import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { pick, seeded } from '../support/seeded.ts';
import type { UnfamiliarJob } from './unfamiliar-service.ts';

type Job = UnfamiliarJob;

/** Everything that the specification leaves to the service. Money in kuruş, times in epoch milliseconds. */
export interface Profile {
  /** What was chosen, in words: a failing seed tells it. */
  readonly chosen: Readonly<Record<string, string>>;
  /** The account's YAML that tells the connector the words which it cannot know. */
  readonly account: string;
  readonly reference: (n: number) => string;
  readonly accepted: (job: Job, balance: number, again: boolean) => unknown;
  readonly replayStatus: number;
  readonly runningMessage: string;
  readonly runningHeaders: Record<string, string>;
  readonly list: (jobs: readonly Job[], page: number, limit: number, total: number) => unknown;
  readonly detail: (job: Job, page: number, limit: number) => unknown;
  readonly checked: (results: readonly { url: string; found: boolean }[]) => unknown;
  readonly balance: (kurus: number) => Record<string, unknown>;
  readonly project: (name: string) => string;
  readonly searchesProjects: boolean;
  /** The form in which URLs are compared and shown. */
  readonly url: (url: string) => string;
  readonly longestPage: number;
  readonly noPageIs404: boolean;
  readonly indent: number;
  readonly encode: (text: string) => { readonly bytes: Buffer; readonly encoding: string | null };
  readonly headers: (now: number) => Record<string, string>;
  readonly retryAfter: (now: number) => Record<string, string>;
}

/** Every third URL of a partial job failed. */
export const failed = (job: Job, n: number): boolean =>
  job.state === 'failed' || (job.state === 'partial' && n % 3 === 0);
const ended = ({ state }: Job): boolean => state !== 'queued' && state !== 'processing';

const REFERENCES: Record<string, Profile['reference']> = {
  uuid: (n) => `6f1d2c3e-0000-4000-8000-${String(n).padStart(12, '0')}`,
  path: (n) => `2026/01/15#${n}?x=%2F`,
  turkish: (n) => `İş emri ${n}`,
  long: (n) => `${'r'.repeat(280)}${n}`,
  'letter case': (n) => 'aAbBcCdDeE'[n % 10]! + Math.floor(n / 10),
};

type Form = (job: Job) => Record<string, unknown>;
interface Words {
  readonly yaml: string;
  readonly job: (state: Job['state']) => unknown;
  readonly url: (done: boolean, failed: boolean) => unknown;
}

const WORDS: Record<string, Words> = {
  specification: {
    yaml: '',
    job: (state) => state,
    url: (done, bad) => (done ? (bad ? 'failed' : 'completed') : 'queued'),
  },
  capitals: {
    yaml: '',
    job: (state) => state.toUpperCase(),
    url: (done, bad) => (done ? (bad ? 'FAILED' : 'INDEXED') : 'PENDING'),
  },
  turkish: {
    yaml: 'status_map: { job: { queued: [sırada], processing: [işleniyor], completed: [tamamlandı], partial: [kısmi], failed: [başarısız] }, url: { completed: [eklendi], failed: [hata] } }',
    job: (state) =>
      ({ queued: 'SIRADA', processing: 'İşleniyor', completed: 'Tamamlandı', partial: 'KISMİ', failed: 'Başarısız' })[
        state
      ],
    url: (done, bad) => (done ? (bad ? 'Hata' : 'Eklendi') : 'Sırada'),
  },
  numbers: {
    yaml: 'status_map: { url: { open: ["0"], completed: ["1"], failed: ["-1"] } }',
    job: (state) => state,
    url: (done, bad) => (done ? (bad ? -1 : 1) : 0),
  },
};

const DATES: Record<string, (at: number) => unknown> = {
  iso: (at) => new Date(at).toISOString(),
  'local without zone': (at) => new Date(at + 3 * 3_600_000).toISOString().slice(0, 19).replace('T', ' '),
  'local that calls itself UTC': (at) => new Date(at - 5 * 3_600_000).toISOString(),
  seconds: (at) => Math.floor(at / 1_000),
  'seconds as text': (at) => String(Math.floor(at / 1_000)),
  turkish: (at) => new Date(at).toISOString().replace(/^(\d+)-(\d+)-(\d+)T(\d+:\d+).*/, '$3.$2.$1 $4'),
  mail: (at) => new Date(at).toUTCString(),
};

const MONEY: Record<string, (kurus: number) => unknown> = {
  number: (kurus) => kurus / 100,
  text: (kurus) => (kurus / 100).toFixed(4),
  'with currency': (kurus) => `${(kurus / 100).toFixed(2)} TL`,
  object: (kurus) => ({ currency: 'TRY', amount: (kurus / 100).toFixed(2) }),
  minor: (kurus) => ({ amount_minor: kurus, currency: 'TRY' }),
};

const ENCODINGS: Record<string, Profile['encode']> = {
  none: (text) => ({ bytes: Buffer.from(text), encoding: null }),
  gzip: (text) => ({ bytes: gzipSync(text), encoding: 'gzip' }),
  brotli: (text) => ({ bytes: brotliCompressSync(text), encoding: 'br' }),
  zstd: (text) => ({ bytes: zstdCompressSync(text), encoding: 'zstd' }),
  deflate: (text) => ({ bytes: deflateSync(text), encoding: 'deflate' }),
  'raw deflate': (text) => ({ bytes: deflateRawSync(text), encoding: 'Deflate' }),
};

const HEADERS: Record<string, Profile['headers']> = {
  none: () => ({}),
  kong: () => ({
    'RateLimit-Remaining-Minute': '110',
    'RateLimit-Remaining-Hour': '2000',
    'RateLimit-Remaining-Day': '20000',
  }),
  'own words': () => ({ 'X-Rate-Minute-Left': '110', 'X-Rate-Hour-Left': '2000', 'X-Rate-Day-Left': '20000' }),
  'in one': () => ({
    'X-RateLimit-Remaining': 'minute=110, hour=2000, day=20000',
    'X-RateLimit-Reset': 'minute=10, hour=10, day=10',
  }),
  iso: (now) => ({
    'X-RateLimit-Remaining-Minute': '110',
    'X-RateLimit-Reset-Minute': new Date(now + 20_000).toISOString(),
  }),
};

/** The manners of a seed: one choice of each kind. */
export function toProfile(seed: number): Profile {
  const random = seeded(seed);
  const chosen: Record<string, string> = {};
  const choose = <T>(what: string, from: Record<string, T>): T => {
    chosen[what] = pick(random, Object.keys(from));
    return from[chosen[what]]!;
  };
  const either = (what: string): boolean => choose(what, { yes: true, no: false });

  const reference = choose('reference', REFERENCES);
  const words = choose('words', WORDS);
  const date = choose('date', DATES);
  const money = choose('money', MONEY);
  const url = choose<(url: string) => string>('url', {
    'as sent': (sent) => sent,
    unescaped: (sent) => decodeURI(sent),
    'with a slash': (sent) => sent.replace(/\/?(\?|$)/, '/$1'),
  });
  const project = choose<(name: string) => string>('project', {
    whole: (name) => name,
    cut: (name) => name.slice(0, 12),
    'in capitals': (name) => name.toUpperCase(),
  });
  const showsProject = either('shows projects');
  const stateIn = choose<Form>('state of a job', {
    status: (job) => ({ status: words.job(job.state) }),
    state: (job) => ({ state: words.job(job.state) }),
    jobStatus: (job) => ({ jobStatus: words.job(job.state) }),
  });
  const record: Form = (job) => ({
    reference: job.reference,
    ...stateIn(job),
    ...(showsProject ? { project: project(job.project) } : {}),
    created_at: date(job.at),
  });
  const told = choose<(job: Job, balance: number, again: boolean) => Record<string, unknown>>('charge', {
    charged: (job, _, again) => ({ charged: money(again ? 0 : job.cost) }),
    'total and price': (job) => ({ total_cost: money(job.cost), price_per_url: money(job.cost / job.urls.length) }),
    price: (job) => ({ unitPrice: money(job.cost / job.urls.length) }),
    'the balance after it': (_, balance) => ({ balance_after: money(balance) }),
    nothing: () => ({}),
  });
  const acceptedIn = choose<(data: Record<string, unknown>) => unknown>('acceptance', {
    flat: (data) => data,
    'beside a job': ({ reference: ref, ...rest }) => ({ reference: ref, submission: rest }),
    'with more': (data) => ({ ...data, links: { self: '/x' }, urls: ['https://sample.example/'], meta: { count: 1 } }),
  });
  const listIn = choose<Profile['list']>('list', {
    items: (jobs, page, limit, total) => ({ items: jobs.map(record), total, page, limit }),
    'null when empty': (jobs, _page, _limit, total) => ({
      submissions: jobs.length === 0 ? null : jobs.map(record),
      total,
    }),
    'bare array': (jobs) => jobs.map(record),
    'by place': (jobs, page, limit, total) => ({
      submissions: Object.fromEntries(jobs.map((job, n) => [String(n + 1), record(job)])),
      pagination: { current: page, pageSize: limit, total },
    }),
    'results and next': (jobs, page, limit, total) => ({
      count: total,
      next: page * limit < total ? `/submissions?page=${page + 1}` : null,
      previous: null,
      results: jobs.map(record),
    }),
    edges: (jobs, page, limit, total) => ({
      edges: jobs.map((job) => ({ cursor: job.reference, node: record(job) })),
      pageInfo: { hasNextPage: page * limit < total },
    }),
  });
  const urlRecord = (job: Job, at: string, n: number): Record<string, unknown> => ({
    url: url(at),
    status: words.url(ended(job), failed(job, n)),
    ...(failed(job, n) ? { error: 'Sayfa bulunamadı' } : {}),
  });
  const urlsIn = choose<(job: Job, urls: readonly [string, number][], page: number, limit: number) => object>('URLs', {
    urls: (job, urls, page, limit) => ({
      urls: urls.map(([at, n]) => urlRecord(job, at, n)),
      url_page: page,
      url_limit: limit,
      url_total: job.urls.length,
    }),
    'inside the job': (job, urls, page, limit) => ({
      submission: {
        ...record(job),
        url_states: {
          data: urls.map(([at, n]) => urlRecord(job, at, n)),
          last_page: Math.ceil(job.urls.length / limit),
          page,
        },
      },
    }),
    'by URL': (job, urls, page, limit) => ({
      results: Object.fromEntries(urls.map(([at, n]) => [url(at), { state: words.url(ended(job), failed(job, n)) }])),
      has_more: page * limit < job.urls.length,
    }),
    'only when it has ended': (job, urls) => ({
      urls: ended(job) ? urls.map(([at, n]) => urlRecord(job, at, n)) : [],
    }),
    none: (job) => ({ progress: { done: job.urls.length, errors: 0 } }),
  });
  const balanceIn = choose<Profile['balance']>('balance', {
    flat: (kurus) => ({ balance: money(kurus), currency: 'TRY' }),
    wallet: (kurus) => ({ wallet: { available: money(kurus), currency: 'TRY' } }),
  });
  const checkedIn = choose<Profile['checked']>('results', {
    flags: (results) => ({ results: results.map(({ url: sent, found }) => ({ url: url(sent), is_indexed: found })) }),
    words: (results) => ({
      check: { id: 5, status: 'done' },
      items: results.map(({ url: sent, found }) => ({
        link: url(sent),
        status: 'CHECKED',
        verdict: found ? 'INDEXED' : 'Not indexed',
      })),
    }),
    'by URL': (results) => ({
      urls: Object.fromEntries(results.map(({ url: sent, found }) => [url(sent), found ? 'found' : 'not_found'])),
    }),
    'in order': (results) => ({ data: results.map(({ found }) => ({ found: found ? 1 : 0 })) }),
    places: (results) => ({
      results: results.map(({ url: sent, found }) => ({ uri: url(sent), present: found, position: found ? 4 : null })),
    }),
  });
  return {
    chosen,
    account: words.yaml,
    reference,
    accepted: (job, balance, again) =>
      acceptedIn({ reference: job.reference, ...stateIn(job), ...told(job, balance, again) }),
    replayStatus: choose('replay', { '200': 200, '202': 202 }),
    runningMessage: choose('running', { clear: 'The request is still being processed.', terse: 'Conflict.' }),
    runningHeaders: { 'retry-after': '2' },
    list: listIn,
    detail: (job, page, limit) => {
      const urls = job.urls.map((at, n): [string, number] => [at, n]).slice((page - 1) * limit, page * limit);
      return { ...record(job), ...urlsIn(job, urls, page, limit) };
    },
    checked: (results) => checkedIn(results),
    balance: balanceIn,
    project,
    searchesProjects: either('searches projects'),
    url,
    longestPage: choose('longest page', { '500': 500, '50': 50, '7': 7 }),
    noPageIs404: either('404 behind the last page'),
    indent: choose('indent', { no: 0, yes: 2 }),
    encode: choose('encoding', ENCODINGS),
    headers: choose('headers', HEADERS),
    retryAfter: choose<Profile['retryAfter']>('Retry-After', {
      seconds: () => ({ 'retry-after': '3' }),
      date: (now) => ({ 'retry-after': new Date(now + 3_000).toUTCString(), date: new Date(now).toUTCString() }),
      none: () => ({}),
    }),
  };
}
