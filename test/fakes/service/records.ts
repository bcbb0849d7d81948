import { createHash } from 'node:crypto';

export type JobState = 'queued' | 'processing' | 'completed' | 'partial' | 'failed';

export interface Job {
  readonly reference: string;
  readonly project: string;
  readonly service: string;
  readonly urls: readonly string[];
  /** Kuruş. */
  readonly cost: number;
  /** Accepted at, in epoch milliseconds. */
  readonly at: number;
  state: JobState;
  /** Places of the URLs that have failed; absent: they follow from its state. */
  readonly failed?: ReadonlySet<number>;
}

export interface CheckedUrl {
  readonly url: string;
  readonly found: boolean;
}

export type Refusal =
  | 'bad-key'
  | 'bad-json'
  | 'bad-urls'
  | 'too-large'
  | 'insufficient-balance'
  | 'key-reused'
  | 'still-running';

export interface Refused {
  readonly kind: 'refused';
  readonly why: Refusal;
  /** The URLs of the request, and those that made it invalid. */
  readonly urls: readonly string[];
  readonly badUrls: readonly string[];
}

export type Submitted = { readonly kind: 'done'; readonly result: Job; readonly replay: boolean } | Refused;
export type Checked =
  | { readonly kind: 'done'; readonly result: readonly CheckedUrl[]; readonly replay: boolean }
  | Refused;

export interface RecordsOptions {
  readonly reference: (n: number) => string;
  readonly now: () => number;
  readonly priceKurus: number;
  readonly balanceKurus: number;
  /** The service forgets an idempotency key after this long. */
  readonly keyLifeMs: number;
  /** A submission with more URLs is answered with 413. */
  readonly maxUrls: number;
  /** URLs that make a submission invalid. */
  readonly refuses: (url: string) => boolean;
  /** How long the n-th job takes; null: jobs stay queued until `finish`. */
  readonly jobMs: ((n: number) => number) | null;
}

interface KeyEntry {
  readonly digest: string;
  readonly at: number;
  readonly result: unknown;
  /** This many more requests learn that the first one still runs. */
  running: number;
}

const CHECK_PRICE_KURUS = 50;

/** Without its own word on it, every second URL of a job that ends partial has failed. */
export const isFailed = (job: Job, n: number): boolean =>
  job.failed?.has(n) ?? (job.state === 'failed' || (job.state === 'partial' && n % 2 === 0));

export const hasEnded = ({ state }: Job): boolean => state !== 'queued' && state !== 'processing';

export type FakeRecords = ReturnType<typeof createRecords>;

/** What the fake service knows: keys, jobs, balance, and how often it charged for each URL. It keeps spec 4.6 and 4.8. */
export function createRecords(options: RecordsOptions) {
  const { now } = options;
  const jobs: Job[] = [];
  const keys = new Map<string, KeyEntry>();
  /** Keys that were charged, also those that are forgotten since. */
  const chargedKeys = new Set<string>();
  const bodies = new Map<string, string[]>();
  const charges = new Map<string, number>();
  const checks = new Map<string, number>();
  const breaches: string[] = [];
  let balance = options.balanceKurus;
  let charged = 0;

  /** Runs a paid request under its key: the same bytes give the first result again, without a charge. */
  function once<T>(key: string, bytes: string, slow: boolean, work: () => T | Refused) {
    noteBody(key, bytes);
    if (!/^[A-Za-z0-9._:-]{8,100}$/.test(key)) return refuse('bad-key');
    const digest = createHash('sha256').update(bytes).digest('hex');
    const known = keys.get(key);
    if (known !== undefined && now() - known.at < options.keyLifeMs) {
      if (known.digest !== digest) return refuse('key-reused');
      if (known.running-- > 0) return refuse('still-running');
      return { kind: 'done', result: known.result as T, replay: true } as const;
    }
    const result = work();
    if (isRefused(result)) return result;
    if (chargedKeys.has(key)) breaches.push(`key ${key} was charged twice`);
    chargedKeys.add(key);
    keys.set(key, { digest, at: now(), result, running: slow ? 1 : 0 });
    return { kind: 'done', result, replay: false } as const;
  }

  function noteBody(key: string, bytes: string): void {
    const sent = bodies.get(key) ?? [];
    bodies.set(key, [...sent, bytes]);
    if (sent.length > 0 && sent[0] !== bytes) breaches.push(`key ${key} came with two bodies`);
  }

  function pay(kurus: number): boolean {
    if (balance < kurus) return false;
    balance -= kurus;
    charged += kurus;
    return true;
  }

  function accept(bytes: string): Job | Refused {
    const body = parseBody(bytes);
    if (body === null) return refuse('bad-json');
    const urls = body.urls ?? (body.url === undefined ? [] : [body.url]);
    if (urls.length > options.maxUrls) return refuse('too-large', urls);
    if (urls.length === 0 || urls.length > 5_000 || new Set(urls).size !== urls.length) return refuse('bad-urls', urls);
    const badUrls = urls.filter(options.refuses);
    if (badUrls.length > 0) return refuse('bad-urls', urls, badUrls);
    const cost = urls.length * options.priceKurus;
    if (!pay(cost)) return refuse('insufficient-balance', urls);
    for (const url of urls) increment(charges, url);
    const reference = options.reference(jobs.length + 1);
    const { project = 'API Submission', service = 'standard' } = body;
    const job = { reference, project, service, urls, cost, at: now() };
    jobs.push(options.jobMs === null ? { ...job, state: 'queued' } : withAge(job, options.jobMs(jobs.length), now));
    return jobs.at(-1)!;
  }

  return {
    /** In the order in which they were accepted. */
    jobs: jobs as readonly Job[],
    /** Bodies by idempotency key, in the order in which they came. */
    bodies: bodies as ReadonlyMap<string, readonly string[]>,
    /** How often each URL was charged, by submissions and by index-checks. */
    charges: charges as ReadonlyMap<string, number>,
    checks: checks as ReadonlyMap<string, number>,
    /** What no client may do: a key with two bodies, a key that is charged again after it was forgotten. */
    breaches: breaches as readonly string[],
    /** Kuruş. */
    getBalance: () => balance,
    getCharged: () => charged,
    submit: (key: string, bytes: string, slow = false): Submitted => once(key, bytes, slow, () => accept(bytes)),
    /** Finds every second URL. */
    check: (key: string, bytes: string, slow = false): Checked =>
      once(key, bytes, slow, () => {
        const urls = parseBody(bytes)?.urls;
        if (urls === undefined || urls.length > 50) return refuse('bad-urls', urls);
        if (!pay(urls.length * CHECK_PRICE_KURUS)) return refuse('insufficient-balance', urls);
        for (const url of urls) increment(checks, url);
        return urls.map((url, n) => ({ url, found: n % 2 === 0 }));
      }),
    /** Remembers what came under a key that something else answers. */
    noteBody,
    findJob: (reference: string): Job | undefined => jobs.find((job) => job.reference === reference),
    /** Ends every job that is still open. */
    finish(state: JobState): void {
      for (const job of jobs) if (!hasEnded(job)) job.state = state;
    },
    topUp(kurus: number): void {
      balance += kurus;
    },
  };
}

const isRefused = (result: unknown): result is Refused => (result as Partial<Refused> | null)?.kind === 'refused';

const refuse = (why: Refusal, urls: readonly string[] = [], badUrls: readonly string[] = []): Refused => ({
  kind: 'refused',
  why,
  urls,
  badUrls,
});

const increment = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

interface RequestBody {
  readonly url?: string;
  readonly urls?: readonly string[];
  readonly project?: string;
  readonly service?: string;
}

function parseBody(bytes: string): RequestBody | null {
  try {
    return JSON.parse(bytes) as RequestBody;
  } catch {
    return null;
  }
}

/** A job whose state follows from its age. */
function withAge(job: Omit<Job, 'state'>, takesMs: number, now: () => number): Job {
  return {
    ...job,
    get state() {
      const age = now() - job.at;
      return age >= takesMs ? 'completed' : age >= takesMs / 3 ? 'processing' : 'queued';
    },
    set state(_) {
      throw new Error('the state of this job follows from its age');
    },
  };
}
