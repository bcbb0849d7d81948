import { createDeck, pick } from '../../support/seeded.ts';
import type { Fault, NetRequest, NetResponse } from '../platform/network.ts';
import { POISON, respond } from './site.ts';

const envelope = (code: string): string =>
  JSON.stringify({
    success: false,
    status: 'error',
    message: code,
    data: null,
    error: { code, message: code },
    request_id: 'req_gateway',
  });

const json = (status: number, code: string, headers: Record<string, string> = {}) =>
  respond(status, 'application/json', envelope(code), headers);

const LATER: Fault = { kind: 'instead', response: json(429, 'rate_limited', { 'retry-after': '300' }) };

/** A balance under a name that the specification does not know. */
const OTHER_BALANCE = respond(
  200,
  'application/json',
  JSON.stringify({ success: true, status: 'success', message: 'ok', data: { credit: '12' }, error: null }),
);

/** A gateway's, of which some say what is not so: the key is right, the balance suffices. */
const REFUSALS = ['rate-limit', 'unavailable', 'unauthorized'] as const;
const READS = ['drop-before', 'refused', 'drop-after', 'cut', 'stall', 'html', 'error-after', ...REFUSALS] as const;
const POSTS = [...READS, 'unavailable-after', 'late', 'too-large', 'payment', 'still-running'] as const;
type Kind = (typeof POSTS)[number];
/** What each submission of a watch meets for as long as a sequence says so. */
export type SubmissionFault =
  | Kind
  /** Refused for certain, for five minutes each time. */
  | 'later'
  /** Refused with 404, as by a gateway that does not know the path: a refusal that is no batch's fault. */
  | 'not found'
  /** Refused with 413, unless it has one URL. */
  | 'oversized'
  /** Refused with 422, unless it has one URL. */
  | 'invalid'
  /** Accepted, and all that the answer says of money is the price of one URL, as what it cost. */
  | 'reported the price of one'
  /** Accepted, and all that the answer says of money is the total, which it calls the price. */
  | 'showed the total as price'
  /** Refused with 422 if it has a poisoned page, which the answer names by its position, from one. */
  | 'position from one'
  /** Split until each part has one URL, and then refused for five minutes each time. */
  | 'later in parts';
const LOST: readonly Kind[] = ['drop-after', 'error-after', 'unavailable-after'];
const NOT_TAKEN: readonly Kind[] = ['refused', 'rate-limit', 'payment'];

/** What happens to each request of a kind for a while. */
export type Outage =
  /** Submissions are taken and charged, and their answers are lost. */
  | 'answers are lost'
  /** No submission reaches the service, and each says surely so. */
  | 'nothing is taken'
  /** Submissions of more than one URL are refused, one as too large and the other as invalid. */
  | 'batches are refused'
  /** The list of jobs cannot be read. */
  | 'the list fails'
  /** The list of jobs shows no projects, and one URL more for each of them. */
  | 'the list counts otherwise'
  /** Index-checks are done and charged, and their answers are lost. */
  | 'answers to checks are lost'
  /** Index-checks are refused for certain, for five minutes each time. */
  | 'checks must wait'
  /** Index-checks are refused with 422. */
  | 'checks are refused'
  /** Index-checks are done and charged, and all that their answers say of money is the price of one URL, as what they cost. */
  | 'checks show the price of one'
  /** Answers to submissions show the charge rounded to the kurus, and nothing shows a price. */
  | 'charges are rounded'
  /** Answers to submissions say nothing of money. */
  | 'charges are hidden'
  /** Answers to submissions show the total alone, and call it the price. */
  | 'totals are called prices'
  /** Answers to submissions show what was charged, and the balance, in euros. */
  | 'charges are in euros'
  | 'the balance is in euros'
  /** The list of jobs shows what each of them cost in euros. */
  | 'the list is in euros'
  /** Answers to index-checks say nothing of money. */
  | 'check charges are hidden'
  /** Jobs under way are shown as partial, with pages that have ended and others that have not. */
  | 'jobs look partial';
export const OUTAGES: readonly Outage[] = [
  'answers are lost',
  'nothing is taken',
  'batches are refused',
  'the list fails',
];

/** What an answer has shown of the charge of a job, in micro-lira as who does not know better reads it; null: nothing. */
export interface ShownCharge {
  readonly how: 'rounded' | 'hidden' | 'total called price' | 'in euros';
  readonly amount: number | null;
}

/** What a euro is worth. */
const LIRA_OF_EURO = 50;

export interface FaultSettings {
  readonly random: () => number;
  /** Share of requests that meet a fault now. */
  readonly share: () => number;
  readonly tooLarge: number | null;
  /** What lasts now. */
  readonly outages: () => ReadonlySet<Outage>;
  /** What a submission under this project meets now; null: what chance brings. */
  readonly meets: (project: string) => SubmissionFault | null;
  /** The balance cannot be understood now. */
  readonly hidesBalance: () => boolean;
  /** Whether a gateway refuses the key of the request now. */
  readonly refusesKey: (request: NetRequest) => boolean;
  /** How long the list does not show a new job. */
  readonly listLagMs: number;
  /** The latest time that the service's clock showed so many milliseconds ago or before. */
  readonly getLatestTime: (agoMs: number) => number;
  /** Answers break off at any byte, and not in their middle. */
  readonly cutsAnywhere: boolean;
  /** Of the jobs, 0 to 1: they are shown as under way forever. */
  readonly endlessShare: number;
  /** An answer has shown what a job cost in another way than the service has it. */
  readonly onShown: (reference: string, shown: ShownCharge) => void;
}

/** What happens to requests on their way to the service and back. */
export function serviceFaults({
  random,
  share,
  tooLarge,
  outages,
  meets,
  hidesBalance,
  refusesKey,
  listLagMs,
  getLatestTime,
  cutsAnywhere,
  endlessShare,
  onShown,
}: FaultSettings): (request: NetRequest) => Fault {
  const forPosts = createDeck<Kind>(random, POSTS);
  const forReads = createDeck<Kind>(random, READS);
  return (request) => {
    if (refusesKey(request)) return { kind: 'instead', response: json(401, 'unauthorized') };
    const { urls, project } = readSubmission(request);
    if (hidesBalance() && request.path.endsWith('/balance')) return { kind: 'instead', response: OTHER_BALANCE };
    const met = urls.length === 0 ? null : meets(project);
    const isPoisoned = urls.some((url) => url.includes(POISON));
    if (met !== null) {
      const fault = toFault(met, urls, random);
      return isPoisoned && !isStopped(fault) ? INVALID : fault;
    }
    if (isPoisoned) return INVALID;
    if (tooLarge !== null && urls.length > tooLarge) {
      return { kind: 'instead', response: json(413, 'payload_too_large') };
    }
    const lasting = [...outages()]
      .map((outage) => toLasting(outage, request, urls, { random, onShown }))
      .find((fault) => fault !== null);
    if (lasting !== undefined) return lasting;
    if (random() >= share()) {
      if (endlessShare > 0 && isRead(request)) return showEndless(endlessShare);
      return listLagMs > 0 && isList(request) ? lag(getLatestTime(listLagMs)) : { kind: 'none' };
    }
    const fault = toFault(request.method === 'POST' ? forPosts() : forReads(), urls, random);
    return cutsAnywhere && fault.kind === 'cut' ? { ...fault, share: random() } : fault;
  };
}

const INVALID: Fault = { kind: 'instead', response: json(422, 'validation_error') };

/** The request never reaches the service. */
const isStopped = ({ kind }: Fault): boolean => kind === 'instead' || kind === 'drop-before' || kind === 'refused';

/** Answers that rule out a charge. */
export const SURE: readonly number[] = [401, 402, 413, 429];

export const isSureRefusal = (fault: Fault): boolean =>
  fault.kind === 'instead' && SURE.includes(fault.response.status);

/** What an outage does to a request, or null. */
function toLasting(
  outage: Outage,
  request: NetRequest,
  urls: readonly string[],
  { random, onShown }: Pick<FaultSettings, 'random' | 'onShown'>,
): Fault | null {
  /** What the answer to a submission says of money, and what is seen of it. */
  const show = (how: ShownCharge['how'], change: (data: Accepted) => readonly [object, number | null]): Fault | null =>
    urls.length === 0
      ? null
      : alterData((data) => {
          const [shown, lira] = change(data as unknown as Accepted);
          onShown(String(data.reference), { how, amount: lira === null ? null : Math.round(lira * 1e6) });
          return shown as Readonly<Record<string, unknown>>;
        });
  switch (outage) {
    case 'answers are lost':
      return urls.length > 0 ? toFault(pick(random, LOST), urls, random) : null;
    case 'nothing is taken':
      return urls.length > 0 ? toFault(pick(random, NOT_TAKEN), urls, random) : null;
    case 'batches are refused':
      if (urls.length < 2) return null;
      return {
        kind: 'instead',
        response: random() < 0.5 ? json(413, 'payload_too_large') : json(422, 'validation_error'),
      };
    case 'the list counts otherwise':
      return isList(request) ? COUNTED_OTHERWISE : null;
    case 'answers to checks are lost':
      return isCheck(request) ? { kind: 'drop-after' } : null;
    case 'checks must wait':
      return isCheck(request) ? LATER : null;
    case 'checks are refused':
      return isCheck(request) ? { kind: 'instead', response: json(422, 'validation_error') } : null;
    case 'checks show the price of one':
      if (!isCheck(request)) return null;
      return alterData(({ charged: _charged, price_per_url: cost, ...rest }) => ({ ...rest, cost }));
    case 'charges are rounded':
      if (request.path.endsWith('/me')) return alterData(({ prices: _prices, ...rest }) => rest);
      return show('rounded', ({ reference, charged }) => {
        const rounded = Math.round(charged * 100) / 100;
        return [{ reference, charged: rounded }, rounded];
      });
    case 'charges are hidden':
      return show('hidden', ({ reference }) => [{ reference }, null]);
    case 'totals are called prices':
      return show('total called price', ({ reference, charged: price }) => [{ reference, price }, price]);
    case 'charges are in euros':
      return show('in euros', ({ reference, charged, balance }) => [
        { reference, currency: 'EUR', charged: charged / LIRA_OF_EURO, balance: balance / LIRA_OF_EURO },
        charged / LIRA_OF_EURO,
      ]);
    case 'the balance is in euros':
      if (!request.path.endsWith('/balance')) return null;
      return alterData(({ balance }) => ({ balance: Number(balance) / LIRA_OF_EURO, currency: 'EUR' }));
    case 'the list is in euros':
      if (!isList(request)) return null;
      return alterJobs(({ charged = 0, price_per_url: _price, ...job }) => ({
        ...{ ...job, currency: 'EUR', charged: charged / LIRA_OF_EURO },
      }));
    case 'check charges are hidden':
      return isCheck(request) ? alterData(hideMoney) : null;
    case 'jobs look partial':
      return isRead(request) ? alterJobs((job) => (isOpen(job) ? { ...job, status: 'partial' } : job)) : null;
    case 'the list fails':
      return isList(request) ? { kind: 'instead', response: json(500, 'internal_error') } : null;
  }
}

function toFault(kind: SubmissionFault, urls: readonly string[], random: () => number): Fault {
  switch (kind) {
    case 'drop-before':
    case 'refused':
    case 'drop-after':
    case 'cut':
      return { kind };
    case 'stall':
      return { kind, ms: Math.floor(random() * 120_000) };
    case 'late':
      // Longer than any request of the client lasts, and shorter than the time after which an absence counts.
      return { kind, ms: Math.floor(random() * 150_000) };
    case 'html':
      return { kind: 'instead', response: respond(200, 'text/html', '<html><body>Please sign in</body></html>') };
    case 'rate-limit':
      return {
        kind: 'instead',
        response: json(429, 'rate_limited', { 'retry-after': pick(random, ['1', '30', '600']) }),
      };
    case 'unavailable':
      return { kind: 'instead', response: json(503, 'unavailable', { 'retry-after': pick(random, ['1', '120']) }) };
    case 'unauthorized':
      return { kind: 'instead', response: json(401, 'unauthorized') };
    case 'payment':
      return { kind: 'instead', response: json(402, 'insufficient_balance') };
    case 'still-running':
      return {
        kind: 'instead',
        response: json(409, 'request_in_progress', { 'retry-after': pick(random, ['1', '20']) }),
      };
    case 'error-after':
      return { kind: 'instead-after', response: respond(502, 'text/html', '<h1>502 Bad Gateway</h1>') };
    case 'unavailable-after':
      return {
        kind: 'instead-after',
        response: json(503, 'unavailable', { 'retry-after': pick(random, ['1', '120']) }),
      };
    case 'later':
      return LATER;
    case 'not found':
      return { kind: 'instead', response: json(404, 'not_found') };
    case 'reported the price of one':
      return alterData(({ reference, price_per_url: cost }) => ({ reference, cost }));
    case 'showed the total as price':
      return alterData(({ reference, charged: price }) => ({ reference, price }));
    case 'position from one':
      return refuseByPosition(urls);
    case 'later in parts':
      return urls.length > 1 ? { kind: 'instead', response: json(413, 'payload_too_large') } : LATER;
    case 'oversized':
      return urls.length > 1 ? { kind: 'instead', response: json(413, 'payload_too_large') } : { kind: 'none' };
    case 'invalid':
      return urls.length > 1 ? { kind: 'instead', response: json(422, 'validation_error') } : { kind: 'none' };
    case 'too-large':
      // A gateway that refuses this once what it lets through at another time. One URL alone would need review.
      return urls.length > 4
        ? { kind: 'instead', response: respond(413, 'text/html', '<h1>413 Request Entity Too Large</h1>') }
        : { kind: 'none' };
  }
}

const isCheck = ({ method, path }: NetRequest): boolean => method === 'POST' && path.endsWith('/index-check');

const isRead = ({ method, path }: NetRequest): boolean => method === 'GET' && /\/submissions\b/.test(path);

const isList = ({ method, path }: NetRequest): boolean => method === 'GET' && /\/submissions\?/.test(path);

/** Changes what a successful answer says. */
function alterData(change: (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>): Fault {
  const alter = (response: NetResponse): NetResponse => {
    if (response.status >= 300) return response;
    const answer = JSON.parse(response.body.toString('utf8')) as { readonly data: Readonly<Record<string, unknown>> };
    const body = Buffer.from(JSON.stringify({ ...answer, data: change(answer.data) }));
    return { ...response, headers: { ...response.headers, 'content-length': String(body.length) }, body };
  };
  return { kind: 'alter', alter };
}

/** What our service says of an accepted submission, in lira. */
interface Accepted {
  readonly reference: string;
  readonly charged: number;
  readonly balance: number;
}

const hideMoney = ({
  charged: _charged,
  price_per_url: _price,
  balance: _balance,
  ...rest
}: Readonly<Record<string, unknown>>) => rest;

interface ListedJob {
  readonly created_at: string;
  readonly url_count: number;
}

/** A job as the list or its own address shows it. */
interface ShownJob {
  readonly reference: string;
  readonly status: string;
  readonly charged?: number;
  readonly price_per_url?: number;
  readonly urls?: readonly { readonly status: string }[];
}

const isOpen = ({ status }: ShownJob): boolean => status === 'processing';

/** Changes each job that an answer shows. */
const alterJobs = (change: (job: ShownJob) => object): Fault =>
  alterData((data) =>
    Array.isArray(data.submissions)
      ? { ...data, submissions: data.submissions.map(change) }
      : typeof data.status === 'string'
        ? (change(data as unknown as ShownJob) as Readonly<Record<string, unknown>>)
        : data,
  );

/** The same jobs each time: by their reference. */
const isEndless = ({ reference }: ShownJob, share: number): boolean =>
  [...reference].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 1_009, 7) < share * 1_009;

const showEndless = (share: number): Fault =>
  alterJobs((job) =>
    isEndless(job, share)
      ? { ...job, status: 'processing', ...(job.urls === undefined ? {} : { urls: job.urls.map(toOpen) }) }
      : job,
  );

const toOpen = (url: object): object => ({ ...url, status: 'processing' });

const alterList = (change: (jobs: readonly ListedJob[]) => readonly object[]): Fault =>
  alterData((data) => ({ ...data, submissions: change(data.submissions as readonly ListedJob[]) }));

/** Leaves out the jobs that are too new for the list. */
const lag = (newest: number): Fault =>
  alterList((jobs) => jobs.filter(({ created_at }) => Date.parse(created_at) <= newest));

const COUNTED_OTHERWISE = alterList((jobs) =>
  jobs.map((job) => ({ ...job, project: null, url_count: job.url_count + 1 })),
);

function refuseByPosition(urls: readonly string[]): Fault {
  const bad = urls.findIndex((url) => url.includes(POISON));
  if (bad < 0) return { kind: 'none' };
  const error = { code: 'validation_error', message: 'bad URL', details: [{ position: bad + 1, reason: 'bad URL' }] };
  const body = { success: false, status: 'error', message: 'bad URL', data: null, error, request_id: 'req_gateway' };
  return { kind: 'instead', response: respond(422, 'application/json', JSON.stringify(body)) };
}

interface Submission {
  readonly urls: readonly string[];
  readonly project: string;
}

const NO_SUBMISSION: Submission = { urls: [], project: '' };

function readSubmission({ method, path, body }: NetRequest): Submission {
  if (method !== 'POST' || !path.endsWith('/submissions')) return NO_SUBMISSION;
  const { urls, project = '' } = JSON.parse(body.toString('utf8')) as { urls: string[]; project?: string };
  return { urls, project };
}

export interface SiteFaultSettings {
  readonly cutsAnywhere: boolean;
  /** The file of a sitemap that cannot be read now, by its path. */
  readonly isLost: (path: string) => boolean;
}

/** What a site may do instead of giving its sitemap. */
export function siteFaults(
  random: () => number,
  share: () => number,
  { cutsAnywhere, isLost }: SiteFaultSettings,
): (request: Pick<NetRequest, 'path'>) => Fault {
  return ({ path }) => {
    if (isLost(path)) return { kind: 'instead', response: respond(500, 'text/plain', 'the disk is full') };
    if (random() >= share()) return { kind: 'none' };
    const kind = pick(random, ['error', 'cut', 'hang', 'missing', 'html'] as const);
    switch (kind) {
      case 'error':
        return { kind: 'instead', response: respond(500, 'text/plain', 'out of memory') };
      case 'missing':
        return { kind: 'instead', response: respond(404, 'text/html', '<h1>Not found</h1>') };
      case 'html':
        return { kind: 'instead', response: respond(200, 'text/html', '<!doctype html><p>We will be back soon.</p>') };
      case 'cut':
        return cutsAnywhere ? { kind, share: random() } : { kind };
      case 'hang':
        return { kind: 'stall', ms: Math.floor(random() * 60_000) };
    }
  };
}
