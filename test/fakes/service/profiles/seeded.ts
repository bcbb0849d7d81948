import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { ANSWER_FIELDS, type AnswerFieldKey, type FORMS } from '../../../../src/submission/answer-fields.ts';
import { pick, seeded } from '../../../support/seeded.ts';
import { type ErrorCause, getUrlPage, type Paging, type Profile } from '../profile.ts';
import { type CheckedUrl, hasEnded, isFailed, type Job, type JobState } from '../records.ts';

export interface SeededProfile extends Profile {
  /** What was chosen, by subject: a failing seed shows it. */
  readonly chosen: Readonly<Record<string, string>>;
}

const REFERENCES: Record<string, Profile['reference']> = {
  uuid: (n) => `6f1d2c3e-0000-4000-8000-${String(n).padStart(12, '0')}`,
  path: (n) => `2026/01/15#${n}?x=%2F`,
  turkish: (n) => `İş emri ${n}`,
  long: (n) => `${'r'.repeat(280)}${n}`,
  'letter case': (n) => 'aAbBcCdDeE'[n % 10]! + Math.floor(n / 10),
};

interface States {
  /** The account's setting that tells the connector what these states mean. */
  readonly yaml: string;
  readonly job: (state: JobState) => unknown;
  readonly url: (done: boolean, failed: boolean) => unknown;
}

const STATES: Record<string, States> = {
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

/** With as many digits as the amount needs, so that no answer rounds a price. */
const toText = (kurus: number): string => (kurus / 100).toFixed(Number.isInteger(kurus) ? 2 : 4);

const MONEY: Record<keyof (typeof FORMS)['amount']['examples'], (kurus: number) => unknown> = {
  number: (kurus) => kurus / 100,
  text: (kurus) => (kurus / 100).toFixed(4),
  'with currency': (kurus) => `${toText(kurus)} TL`,
  'as in Turkey': (kurus) => `${toLocal('tr-TR', kurus)} TL`,
  'as in Britain': (kurus) => `₺${toLocal('en-GB', kurus)}`,
  object: (kurus) => ({ currency: 'TRY', amount: toText(kurus) }),
  minor: (kurus) => ({ amount_minor: kurus, currency: 'TRY' }),
};

/** With two decimals at least, or four: never with three, which countries read differently. */
function toLocal(locale: string, kurus: number): string {
  const digits = Number.isInteger(kurus) ? 2 : 4;
  return new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
    kurus / 100,
  );
}

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
    'RateLimit-Remaining-Hour': '2900',
    'RateLimit-Remaining-Day': '29000',
  }),
  'other names': () => ({ 'X-Rate-Minute-Left': '110', 'X-Rate-Hour-Left': '2900', 'X-Rate-Day-Left': '29000' }),
  'in one': () => ({
    'X-RateLimit-Remaining': 'minute=110, hour=2900, day=29000',
    'X-RateLimit-Reset': 'minute=10, hour=10, day=10',
  }),
  iso: (now) => ({
    'X-RateLimit-Remaining-Minute': '110',
    'X-RateLimit-Reset-Minute': new Date(now + 20_000).toISOString(),
  }),
};

/** "1.985,5 TL", and "1.985 TL" without kuruş: what countries read differently. */
const toTurkish = (kurus: number): string =>
  `${new Intl.NumberFormat('tr-TR', { maximumFractionDigits: 4 }).format(kurus / 100)} TL`;

/** What a service calls its values, by the table; null: as the specification or the usual frameworks do. */
type Naming = (field: AnswerFieldKey) => string | null;

/** Where a profile does not choose the name of a value by itself. */
const RENAMED: readonly AnswerFieldKey[] = [
  ...(['reference', 'state', 'project', 'created', 'charge', 'price', 'balance', 'jobs', 'urls', 'url'] as const),
  ...(['url_state', 'reason', 'results', 'found'] as const),
];

/** The same names for all answers of a service: each from the table, or in no list and so in the account's settings. */
const NAMINGS: Record<string, (random: () => number) => { readonly name: Naming; readonly yaml: string }> = {
  usual: () => ({ name: () => null, yaml: '' }),
  'from the table': (random) => {
    const drawn = new Map(RENAMED.map((field) => [field, pick(random, ANSWER_FIELDS[field].names)]));
    return { name: (field) => drawn.get(field) ?? null, yaml: '' };
  },
  'in no list': () => ({
    name: (field) => (RENAMED.includes(field) ? `Alan_${field}` : null),
    yaml: `field_names: { ${RENAMED.map((field) => `${field}: [alan_${field}]`).join(', ')} }`,
  }),
};

type Fields = Record<string, unknown>;
type ToFields = (job: Job) => Fields;

const ERRORS: Partial<Record<ErrorCause, readonly [code: string, message: string]>> = {
  'bad-urls': ['422001', 'The given data was invalid.'],
  'insufficient-balance': ['402000', 'Yetersiz bakiye.'],
  'key-reused': ['409001', 'The key was used for another request.'],
  'not-found': ['404001', 'Not found.'],
  'no-such-page': ['404002', 'Invalid page.'],
  unauthenticated: ['401000', 'Unauthenticated.'],
  'server-error': ['500000', 'Server Error'],
  unavailable: ['503000', 'Bakım'],
  'rate-limited': ['429000', 'Too Many Attempts.'],
};

/** An honest service by people who have read the specification only: one choice of each kind, by seed. */
export function createSeededProfile(seed: number): SeededProfile {
  const random = seeded(seed);
  const chosen: Record<string, string> = {};
  const choose = <T>(subject: string, from: Record<string, T>): T => {
    const name = pick(random, Object.keys(from));
    chosen[subject] = name;
    return from[name]!;
  };
  const flip = (subject: string): boolean => choose(subject, { yes: true, no: false });

  // The order of the choices is part of a seed: append, never insert.
  const reference = choose('reference', REFERENCES);
  const states = choose('states', STATES);
  const date = choose('date', DATES);
  const usualMoney = choose('money', MONEY);
  // These two are chosen last: see below.
  const last: { name: Naming; money: (kurus: number) => unknown } = { name: () => null, money: usualMoney };
  const money = (kurus: number): unknown => last.money(kurus);
  const name = (field: AnswerFieldKey, usual: string): string => last.name(field) ?? usual;
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
  const showsProject = flip('shows projects');
  const toState = choose<ToFields>('state of a job', {
    status: (job) => ({ [name('state', 'status')]: states.job(job.state) }),
    state: (job) => ({ [name('state', 'state')]: states.job(job.state) }),
    jobStatus: (job) => ({ [name('state', 'jobStatus')]: states.job(job.state) }),
  });
  const toRecord: ToFields = (job) => ({
    [name('reference', 'reference')]: job.reference,
    ...toState(job),
    ...(showsProject ? { [name('project', 'project')]: project(job.project) } : {}),
    [name('created', 'created_at')]: date(job.at),
  });
  const toCharge = choose<(job: Job, balance: number, replay: boolean) => Fields>('charge', {
    charged: (job, _, replay) => ({ [name('charge', 'charged')]: money(replay ? 0 : job.cost) }),
    'total and price': (job) => ({
      [name('charge', 'total_cost')]: money(job.cost),
      [name('price', 'price_per_url')]: money(job.cost / job.urls.length),
    }),
    price: (job) => ({ [name('price', 'unitPrice')]: money(job.cost / job.urls.length) }),
    'the balance after it': (_, balance) => ({ [name('balance', 'balance_after')]: money(balance) }),
    nothing: () => ({}),
  });
  const toAcceptance = choose<(data: Fields) => unknown>('acceptance', {
    flat: (data) => data,
    'beside a job': ({ [name('reference', 'reference')]: ref, ...rest }) => ({
      [name('reference', 'reference')]: ref,
      submission: rest,
    }),
    'with more': (data) => ({ ...data, links: { self: '/x' }, urls: ['https://sample.example/'], meta: { count: 1 } }),
  });
  const list = choose('list', toLists(toRecord, name));
  const urlList = choose('URLs', toUrlLists({ states, url, toRecord, name }));
  const balance = choose<Profile['balance']>('balance', {
    flat: (kurus) => ({ [name('balance', 'balance')]: money(kurus), currency: 'TRY' }),
    wallet: (kurus) => ({ wallet: { [name('balance', 'available')]: money(kurus), currency: 'TRY' } }),
  });
  const checked = choose('results', toCheckResults(url, name));
  const replayStatus = choose('replay', { '200': 200, '202': 202 });
  const running = choose('running', { clear: 'The request is still being processed.', terse: 'Conflict.' });
  const search = flip('searches projects') ? 'project' : 'ignored';
  const longestPage = choose('longest page', { '500': 500, '50': 50, '7': 7 });
  const noSuchPage = flip('404 behind the last page');
  const indent = choose('indent', { no: 0, yes: 2 });
  const encode = choose('encoding', ENCODINGS);
  const headers = choose('headers', HEADERS);
  const toRetryAfter = choose<(now: number) => Record<string, string>>('Retry-After', {
    seconds: () => ({ 'retry-after': '3' }),
    date: (now) => toDate(now, 3_000),
    none: () => ({}),
  });
  const naming = choose('names', NAMINGS)(random);
  const isTurkish = choose('amounts', { 'of programs': false, 'of programs, too': false, 'of Turkey': true });
  last.name = naming.name;
  if (isTurkish) last.money = toTurkish;

  return {
    name: `seed-${seed}`,
    chosen,
    account: [states.yaml, naming.yaml, isTurkish ? 'amounts: decimal_comma' : ''].filter(Boolean).join(', '),
    reference,
    accepted: (job, left, replay) =>
      toAcceptance({
        [name('reference', 'reference')]: job.reference,
        ...toState(job),
        ...toCharge(job, left, replay),
      }),
    replayStatus,
    list,
    detail: (job, paging) => ({ ...toRecord(job), ...urlList(job, paging) }),
    checked,
    balance,
    error: (cause) => {
      const [code, message] = cause === 'still-running' ? ['409002', running] : (ERRORS[cause] ?? ['400000', cause]);
      return { code, message };
    },
    badUrls: () => ({}),
    project,
    search,
    url,
    longestPage,
    noSuchPage,
    indent,
    encode,
    headers,
    retryAfter: (status, now) =>
      status === 409 ? { 'retry-after': '2' } : status === 503 ? toDate(now, 5_000) : toRetryAfter(now),
  };
}

const toDate = (now: number, ms: number) => ({
  'retry-after': new Date(now + ms).toUTCString(),
  date: new Date(now).toUTCString(),
});

type ToName = (field: AnswerFieldKey, usual: string) => string;

const toLists = (toRecord: ToFields, name: ToName): Record<string, Profile['list']> => ({
  items: (jobs, { page, limit, total }) => ({ [name('jobs', 'items')]: jobs.map(toRecord), total, page, limit }),
  'null when empty': (jobs, { total }) => ({
    [name('jobs', 'submissions')]: jobs.length === 0 ? null : jobs.map(toRecord),
    total,
  }),
  'bare array': (jobs) => jobs.map(toRecord),
  'by place': (jobs, { page, limit, total }) => ({
    [name('jobs', 'submissions')]: Object.fromEntries(jobs.map((job, n) => [String(n + 1), toRecord(job)])),
    pagination: { current: page, pageSize: limit, total },
  }),
  'results and next': (jobs, { page, limit, total }) => ({
    count: total,
    next: page * limit < total ? `/submissions?page=${page + 1}` : null,
    previous: null,
    [name('jobs', 'results')]: jobs.map(toRecord),
  }),
  edges: (jobs, { page, limit, total }) => ({
    [name('jobs', 'edges')]: jobs.map((job) => ({ cursor: job.reference, node: toRecord(job) })),
    pageInfo: { hasNextPage: page * limit < total },
  }),
});

interface UrlForms {
  readonly states: States;
  readonly url: (url: string) => string;
  readonly toRecord: ToFields;
  readonly name: ToName;
}

function toUrlLists({ states, url, toRecord, name }: UrlForms): Record<string, (job: Job, paging: Paging) => object> {
  const toUrl = (job: Job, sent: string, n: number): Fields => ({
    [name('url', 'url')]: url(sent),
    [name('url_state', 'status')]: states.url(hasEnded(job), isFailed(job, n)),
    ...(isFailed(job, n) ? { [name('reason', 'error')]: 'Sayfa bulunamadı' } : {}),
  });
  const toUrls = (job: Job, paging: Paging) => getUrlPage(job, paging).map(([sent, n]) => toUrl(job, sent, n));
  return {
    urls: (job, paging) => ({
      [name('urls', 'urls')]: toUrls(job, paging),
      url_page: paging.page,
      url_limit: paging.limit,
      url_total: job.urls.length,
    }),
    'inside the job': (job, paging) => ({
      submission: {
        ...toRecord(job),
        [name('urls', 'url_states')]: {
          data: toUrls(job, paging),
          last_page: Math.ceil(job.urls.length / paging.limit),
          page: paging.page,
        },
      },
    }),
    'by URL': (job, paging) => ({
      [name('urls', 'results')]: Object.fromEntries(
        getUrlPage(job, paging).map(([sent, n]) => [
          url(sent),
          { [name('url_state', 'state')]: states.url(hasEnded(job), isFailed(job, n)) },
        ]),
      ),
      has_more: paging.page * paging.limit < job.urls.length,
    }),
    'only when it has ended': (job, paging) => ({ [name('urls', 'urls')]: hasEnded(job) ? toUrls(job, paging) : [] }),
    none: (job) => ({ progress: { done: job.urls.length, errors: 0 } }),
  };
}

const toCheckResults = (
  url: (url: string) => string,
  name: ToName,
): Record<string, (results: readonly CheckedUrl[]) => unknown> => ({
  flags: (results) => ({
    [name('results', 'results')]: results.map(({ url: sent, found }) => ({
      [name('url', 'url')]: url(sent),
      [name('found', 'is_indexed')]: found,
    })),
  }),
  words: (results) => ({
    check: { id: 5, status: 'done' },
    [name('results', 'items')]: results.map(({ url: sent, found }) => ({
      [name('url', 'link')]: url(sent),
      status: 'CHECKED',
      verdict: found ? 'INDEXED' : 'Not indexed',
    })),
  }),
  'by URL': (results) => ({
    urls: Object.fromEntries(results.map(({ url: sent, found }) => [url(sent), found ? 'found' : 'not_found'])),
  }),
  'in order': (results) => ({
    [name('results', 'data')]: results.map(({ found }) => ({ [name('found', 'found')]: found ? 1 : 0 })),
  }),
  places: (results) => ({
    [name('results', 'results')]: results.map(({ url: sent, found }) => ({
      [name('url', 'uri')]: url(sent),
      [name('found', 'present')]: found,
      position: found ? 4 : null,
    })),
  }),
});
