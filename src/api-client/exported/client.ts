import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { IDEMPOTENCY_KEY_PATTERN } from '../../../contract/headers.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { Micros } from '../../../contract/money.ts';
import type { CreateSubmission, IndexCheck, ListQuery } from '../../../contract/requests.ts';
import type { AcceptedData, ApiAnswer, CheckData, Endpoint } from '../../submission/answer.ts';
import type { IdempotencyKey, Reference } from '../../submission/ids.ts';
import { DEFAULT_TERMINAL_STATES } from '../../submission/states.ts';
import { type ApiClient, createApiClient } from '../client.ts';
import type { AccountView, StatsView } from '../read/account.ts';
import type { JsonObject } from '../read/fields.ts';
import { type ServiceView, toServiceView } from '../read/service.ts';
import type { SubmissionDetail, SubmissionsPage, SubmissionView } from '../read/submission.ts';
import { type Clock, repeatRequest } from './repeat-request.ts';
import { RequestPace } from './request-pace.ts';

export interface ClientOptions {
  /** Including the version, such as `https://indexing.example/api/v1`. */
  readonly baseUrl: string;
  /** The API key, or what reads it before each request, so that a rotated key needs no restart. */
  readonly apiKey: string | (() => string);
  /** How long a call may wait for limits and repeat its request, in milliseconds. Default: five minutes. */
  readonly maxWaitMs?: number;
  readonly userAgent?: string;
}

export interface CallOptions {
  /** Ends the call. A request that was sent may be charged all the same: make the same call again to find out. */
  readonly signal?: AbortSignal;
}

export interface PaidCallOptions extends CallOptions {
  /**
   * 8 to 100 characters of `A-Z a-z 0-9 . _ : -`. Default: a digest of the request, so the same request is charged once, also by
   * another process. To buy the same URLs again on purpose, give the request another key.
   */
  readonly idempotencyKey?: string;
}

/** An accepted submission. */
export interface Accepted extends AcceptedData {
  readonly reference: Reference;
  /** The same request was accepted before: nothing was charged now. */
  readonly replayed: boolean;
}

/**
 * The service's API for applications (REST API v1). A call sends its request again while the answer table says so, with the
 * same bytes and the same Idempotency-Key, and keeps the limits of its key, so use one client for a key. It rejects with
 * an ApiError, whose `chargeState` says what happened to the money.
 */
export interface Client {
  /** Submits 1 to 5,000 URLs (spec 4.6) and charges for them once. */
  submit(body: CreateSubmission, options?: PaidCallOptions): Promise<Accepted>;
  /** Looks for 1 to 50 URLs in current search results (spec 4.8, beta). */
  checkIndex(body: IndexCheck, options?: PaidCallOptions): Promise<CheckData>;
  /** A submission and one page of its URLs (spec 4.7). */
  getSubmission(
    reference: string,
    options?: CallOptions & { readonly urlPage?: number; readonly urlLimit?: number },
  ): Promise<SubmissionDetail>;
  /** One page of the history (spec 4.5). */
  listSubmissions(query?: ListQuery, options?: CallOptions): Promise<SubmissionsPage>;
  /** Polls until a submission is completed, partial or failed: every 15 seconds, or as `everyMs` says. */
  waitForEnd(reference: string, options?: CallOptions & { readonly everyMs?: number }): Promise<SubmissionView>;
  /** In micro-lira: `formatTry` makes it readable. */
  getBalance(options?: CallOptions): Promise<Micros>;
  /** Account and prices (spec 4.2). */
  getAccount(options?: CallOptions): Promise<AccountView>;
  /** Balance and statistics (spec 4.4), with everything that the service shows. */
  getStats(options?: CallOptions): Promise<StatsView>;
  /** Version and availability (spec 4.1). Needs no key and counts for no limit. */
  getService(options?: CallOptions): Promise<ServiceView>;
  /** Closes the connections. */
  close(): Promise<void>;
}

const DEFAULT_MAX_WAIT_MS = 5 * 60_000;
/** Within what the specification suggests (section 3). */
const POLL_EVERY_MS = 15_000;
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
};

export function createClient(options: ClientOptions, clock: Clock = REAL_CLOCK): Client {
  const { baseUrl, apiKey, maxWaitMs = DEFAULT_MAX_WAIT_MS, userAgent } = options;
  const api = createApiClient({
    baseUrl,
    apiKey: typeof apiKey === 'string' ? () => apiKey : apiKey,
    ...(userAgent === undefined ? {} : { userAgent }),
  });
  const pace = new RequestPace();

  const call = <Data>(
    endpoint: Endpoint,
    request: (api: ApiClient, cancel: CallOptions) => Promise<ApiAnswer<Data>>,
    { signal }: CallOptions = {},
  ) =>
    repeatRequest(() => request(api, signal === undefined ? {} : { signal }), clock, {
      ...{ endpoint, maxWaitMs, signal },
      // GET / carries no key, so no limit of one counts it.
      takeTurn: () => (endpoint === 'root' ? 0 : pace.take(clock.now(), endpoint === 'submit')),
    });

  const read = async <Data>(...args: Parameters<typeof call<Data>>): Promise<Data> => (await call(...args)).data;

  function toKey(endpoint: string, body: string, given: string | undefined): IdempotencyKey {
    if (given !== undefined && !KEY.test(given)) {
      throw new TypeError(`an idempotency key must match ${IDEMPOTENCY_KEY_PATTERN}; nothing was sent`);
    }
    const digest = createHash('sha256').update([baseUrl.replace(/\/+$/, ''), endpoint, body].join('\n'));
    return (given ?? `sc-${digest.digest('hex').slice(0, 40)}`) as IdempotencyKey;
  }

  const getSubmission: Client['getSubmission'] = (reference, { urlPage, urlLimit, ...cancel } = {}) =>
    read(
      'submission',
      (each, signal) => {
        const page = { ...(urlPage === undefined ? {} : { urlPage }), ...(urlLimit === undefined ? {} : { urlLimit }) };
        return each.getSubmission(reference as Reference, { ...page, ...signal });
      },
      cancel,
    );

  return {
    async submit(body, { idempotencyKey, ...cancel } = {}) {
      assertCount(body.urls, LIMITS.submissionUrls);
      const text = JSON.stringify(body);
      const key = toKey('submissions', text, idempotencyKey);
      const { status, data } = await call(
        'submit',
        async (each, signal) => requireReference(await each.submit(text, key, signal)),
        cancel,
      );
      return { ...data, replayed: status === 200 };
    },
    async checkIndex(body, { idempotencyKey, ...cancel } = {}) {
      assertCount(body.urls, LIMITS.indexCheckUrls);
      const text = JSON.stringify(body);
      const key = toKey('index-check', text, idempotencyKey);
      return read('index-check', (each, signal) => each.indexCheck(text, key, signal), cancel);
    },
    getSubmission,
    listSubmissions: (query, cancel) =>
      read('submissions', (each, signal) => each.listSubmissions({ ...query, ...signal }), cancel),
    async waitForEnd(reference, { everyMs = POLL_EVERY_MS, ...cancel } = {}) {
      for (;;) {
        const { submission } = await getSubmission(reference, { urlLimit: 1, ...cancel });
        if (submission.state !== null && DEFAULT_TERMINAL_STATES.includes(submission.state)) return submission;
        await clock.sleep(everyMs, cancel.signal);
      }
    },
    getBalance: async (cancel) => (await read('balance', (each, signal) => each.balance(signal), cancel)).balance,
    getAccount: (cancel) => read('me', (each, signal) => each.me(signal), cancel),
    getStats: (cancel) => read('stats', (each, signal) => each.stats(signal), cancel),
    getService: (cancel) => read('root', async (each, signal) => toService(await each.root(signal)), cancel),
    close: () => api.close(),
  };
}

/** An acceptance without a reference says too little: the same request again learns it, without a second charge. */
function requireReference(answer: ApiAnswer<AcceptedData>): ApiAnswer<AcceptedData & { reference: Reference }> {
  const { body } = answer;
  if (body.kind !== 'success') return { ...answer, body };
  const { reference } = body.data;
  if (reference !== null) return { ...answer, body: { kind: 'success', data: { ...body.data, reference } } };
  return { ...answer, body: { kind: 'unreadable', what: 'accepted without a reference', claimsSuccess: true } };
}

function toService(answer: ApiAnswer<JsonObject>): ApiAnswer<ServiceView> {
  const { body } = answer;
  return { ...answer, body: body.kind === 'success' ? { ...body, data: toServiceView(body.data) } : body };
}

/** The service would refuse it: so nothing is sent, and no budget used. */
function assertCount(urls: readonly string[] | undefined, most: number): void {
  if (urls === undefined || (urls.length > 0 && urls.length <= most)) return;
  throw new RangeError(`a request holds 1 to ${most} URLs, not ${urls.length}; nothing was sent`);
}
