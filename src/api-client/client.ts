import type { Dispatcher } from 'undici';
import { LIMITS } from '../../contract/limits.ts';
import type { AcceptedData, ApiAnswer, CheckData, Endpoint } from '../submission/answer.ts';
import type { IdempotencyKey, Reference } from '../submission/ids.ts';
import { type DataReader, readEnvelope } from './envelope.ts';
import { getHeader } from './headers.ts';
import { readRetryAfter } from './http-time.ts';
import { hasNextLink } from './link-header.ts';
import { maskKey } from './mask-key.ts';
import { readBudgets } from './rate-limit-headers.ts';
import {
  type AccountView,
  type BalanceView,
  readAccount,
  readBalance,
  readStats,
  type StatsView,
} from './read/account.ts';
import { readCheck } from './read/check.ts';
import { InvalidPayload, isObject, type Json, type JsonObject } from './read/fields.ts';
import { type AnswerFormatSettings, createAnswerFormat } from './read/format.ts';
import type { Page } from './read/list.ts';
import {
  readAccepted,
  readDetail,
  readSubmissions,
  type SubmissionDetail,
  type SubmissionsPage,
} from './read/submission.ts';
import { createTransport, DEFAULT_TIMEOUTS, type Exchange, type Timeouts } from './transport.ts';

export interface ApiClientOptions extends AnswerFormatSettings {
  /** Including the version, such as `https://indexing.example/api/v1`. */
  readonly baseUrl: string;
  /** Called for each request, so a rotated key needs no restart. The key appears in the request header and nowhere else. */
  readonly apiKey: () => string;
  /** Which of the two equivalent headers carries the key (spec 5). */
  readonly authentication?: 'bearer' | 'x-api-key';
  readonly timeouts?: Partial<Timeouts>;
  readonly userAgent?: string;
  /** Sees each response as it came, without the key, before it is read. */
  readonly onResponse?: (exchange: Exchange, endpoint: Endpoint) => void;
  /** Replaces the connections, for example with a proxy agent. */
  readonly dispatcher?: Dispatcher;
  readonly now?: () => number;
}

export interface ListQuery {
  readonly status?: string;
  readonly reference?: string;
  readonly url?: string;
  readonly q?: string;
  /** `YYYY-MM-DD`. */
  readonly from?: string;
  readonly to?: string;
  readonly page?: number;
  readonly limit?: number;
}

interface Cancellable {
  readonly signal?: AbortSignal;
}

/**
 * The client of the service's API. Every method makes exactly one request and never retries, follows or waits on its
 * own, because only the caller knows the budget and the money. A network failure is returned as an answer; a method
 * rejects only when its signal aborts or when the arguments cannot be sent.
 */
export interface ApiClient {
  /** Throws when the key cannot be read now. Call it before you record an attempt that could not be made. */
  requireKey(): void;
  /** `POST /submissions` (spec 4.6) with exactly these bytes. */
  submit(body: string, key: IdempotencyKey, options?: Cancellable): Promise<ApiAnswer<AcceptedData>>;
  /** `POST /index-check` (spec 4.8) with exactly these bytes. */
  indexCheck(body: string, key: IdempotencyKey, options?: Cancellable): Promise<ApiAnswer<CheckData>>;
  /** `GET /submissions/{reference}` (spec 4.7). */
  getSubmission(
    reference: Reference,
    page?: { readonly urlPage?: number; readonly urlLimit?: number } & Cancellable,
  ): Promise<ApiAnswer<SubmissionDetail>>;
  /** `GET /submissions` (spec 4.5). */
  listSubmissions(query?: ListQuery & Cancellable): Promise<ApiAnswer<SubmissionsPage>>;
  balance(options?: Cancellable): Promise<ApiAnswer<BalanceView>>;
  me(options?: Cancellable): Promise<ApiAnswer<AccountView>>;
  stats(options?: Cancellable): Promise<ApiAnswer<StatsView>>;
  /** `GET /`: version and availability, without the key and possibly without an envelope. */
  root(options?: Cancellable): Promise<ApiAnswer<JsonObject>>;
  close(): Promise<void>;
}

interface Call<Data> extends Cancellable {
  readonly path: string;
  /** `hasNext`: the headers name a next page. */
  readonly read: (...of: [...Parameters<DataReader<Data>>, hasNext: boolean]) => ReturnType<DataReader<Data>>;
  readonly post?: { readonly body: string; readonly key: IdempotencyKey };
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  const { authentication = 'bearer', userAgent = 'sitemap-courier', now = Date.now } = options;
  const base = new URL(options.baseUrl.replace(/\/+$/, ''));
  const format = createAnswerFormat(options);
  const transport = createTransport(base.origin, { ...DEFAULT_TIMEOUTS, ...options.timeouts }, options.dispatcher);
  const prefix = base.pathname === '/' ? '' : base.pathname;

  async function call<Data>(endpoint: Endpoint, { path, read, post, signal }: Call<Data>): Promise<ApiAnswer<Data>> {
    const key = endpoint === 'root' ? null : sendable(options.apiKey());
    const started = performance.now();
    const exchange = await transport.send({
      method: post === undefined ? 'GET' : 'POST',
      path: `${prefix}${path}`,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': userAgent,
        ...(key === null ? {} : keyHeader(key)),
        ...(post === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': post.key }),
      },
      ...(post === undefined ? {} : { body: Buffer.from(post.body, 'utf8') }),
      ...(signal === undefined ? {} : { signal }),
    });
    const masked = maskKey(exchange, key);
    options.onResponse?.(masked, endpoint);
    return toAnswer(endpoint, masked, read, now(), performance.now() - started);
  }

  const keyHeader = (key: string): Record<string, string> =>
    authentication === 'bearer' ? { authorization: `Bearer ${key}` } : { 'x-api-key': key };

  return {
    requireKey() {
      sendable(options.apiKey());
    },
    submit: (body, key, cancel) =>
      call('submit', {
        path: '/submissions',
        read: (data) => readAccepted(data, format),
        post: { body, key },
        ...cancel,
      }),
    indexCheck: (body, key, cancel) =>
      call('index-check', {
        path: '/index-check',
        read: (data, envelope) => readCheck(data, envelope, format),
        post: { body, key },
        ...cancel,
      }),
    getSubmission(reference, { urlPage = 1, urlLimit = LIMITS.urlPage.default, ...cancel } = {}) {
      const requested = { page: urlPage, limit: urlLimit };
      return call('submission', {
        path: `/submissions/${encodeURIComponent(reference)}?url_page=${urlPage}&url_limit=${urlLimit}`,
        read: (data, envelope, hasNext) => withNext(readDetail(data, envelope, requested, format, reference), hasNext),
        ...cancel,
      });
    },
    listSubmissions({ signal, ...query } = {}) {
      const requested = { page: query.page ?? 1, limit: query.limit ?? LIMITS.listPage.default };
      return call('submissions', {
        path: `/submissions?${parameters({ ...query, ...requested })}`,
        read: (data, envelope, hasNext) => withNext(readSubmissions(data, envelope, requested, format), hasNext),
        ...(signal === undefined ? {} : { signal }),
      });
    },
    balance: (cancel) => call('balance', { path: '/balance', read: (data) => readBalance(data, format), ...cancel }),
    me: (cancel) => call('me', { path: '/me', read: (data) => readAccount(data, format), ...cancel }),
    stats: (cancel) => call('stats', { path: '/stats', read: (data) => readStats(data, format), ...cancel }),
    root: (cancel) =>
      call('root', {
        path: '/',
        read: (data) => (isObject(data) ? data : new InvalidPayload('without data')),
        ...cancel,
      }),
    close: () => transport.close(),
  };
}

/** A page after which the headers name another one is not the last. */
const withNext = <Found extends { readonly page: Page }>(found: Found | InvalidPayload, hasNext: boolean) =>
  found instanceof InvalidPayload || !hasNext
    ? found
    : { ...found, page: { ...found.page, last: false, stated: true } };

function parameters(query: Readonly<Record<string, string | number | undefined>>): string {
  const set = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) set.set(name, String(value));
  return set.toString();
}

/** Checked here because the HTTP library would quote an invalid header value, the key, in its error. */
function sendable(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new TypeError(
    'the API key is empty or contains spaces, line breaks or other characters that a header cannot carry; nothing was sent. ' +
      'Check the variable or the file that it comes from',
  );
}

function toAnswer<Data>(
  endpoint: Endpoint,
  exchange: Exchange,
  read: Call<Data>['read'],
  now: number,
  tookMs: number,
): ApiAnswer<Data> {
  if (exchange.kind === 'none') {
    return { endpoint, status: null, body: exchange, requestId: null, retryAfterMs: null, budgets: [], tookMs };
  }
  const { status, headers } = exchange;
  const { body, requestId } =
    exchange.kind === 'answered'
      ? readEnvelope(
          { status, text: unwrapped(endpoint, exchange.text), location: getHeader(headers, 'location') },
          (data, envelope) => read(data, envelope, hasNextLink(headers)),
        )
      : {
          body: {
            kind: 'unreadable',
            claimsSuccess: false,
            what: `status ${status} with a response that was cut off (${exchange.what})`,
          } as const,
          requestId: null,
        };
  return {
    endpoint,
    status,
    body,
    requestId: requestId ?? getHeader(headers, 'x-request-id') ?? getHeader(headers, 'request-id'),
    retryAfterMs: readRetryAfter(headers, now),
    budgets: readBudgets(headers, now),
    tookMs,
  };
}

/** Only authenticated endpoints use the envelope (spec 2.6): the root may return its data alone. */
function unwrapped(endpoint: Endpoint, text: string): string {
  if (endpoint !== 'root') return text;
  try {
    const json = JSON.parse(text) as Json;
    return isObject(json) && json.success === undefined ? JSON.stringify({ success: true, data: json }) : text;
  } catch {
    return text;
  }
}
