import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Answer } from './faults.ts';
import type { ErrorCause, Profile } from './profile.ts';
import type { FakeRecords, Refusal, Refused } from './records.ts';

const STATUS: Record<Refusal, number> = {
  'bad-key': 400,
  'bad-json': 400,
  'bad-urls': 422,
  'too-large': 413,
  'insufficient-balance': 402,
  'key-reused': 409,
  'still-running': 409,
};

export interface ApiOptions {
  readonly records: FakeRecords;
  readonly profile: Profile;
  readonly now: () => number;
  readonly listLagMs: number;
  readonly namesBadUrls: boolean;
  readonly isAuthorized: (credential: string) => boolean;
}

export interface Failing {
  readonly headers?: Record<string, string>;
  /** More of the error than its code and message. */
  readonly details?: object;
  /** What the client sent. */
  readonly credential?: string;
}

export interface Target {
  readonly path: string;
  readonly search: string;
  readonly query: URLSearchParams;
}

export function toTarget({ url = '/' }: IncomingMessage): Target {
  const { pathname, search, searchParams } = new URL(url, 'http://fake');
  return { path: pathname.replace('/api/v1', ''), search, query: searchParams };
}

export const toReference = (path: string): string => decodeURIComponent(path.replace('/submissions/', ''));

export const toCredential = ({ headers }: IncomingMessage): string =>
  headers.authorization?.replace(/^bearer /i, '') ?? String(headers['x-api-key'] ?? '');

export type FakeApi = ReturnType<typeof createApi>;

/** The endpoints of the specification over the records, in the shapes of the profile. */
export function createApi({ records, profile, now, listLagMs, namesBadUrls, isAuthorized }: ApiOptions) {
  const succeed = (status: number, data: unknown): Answer => ({
    status,
    body: { request_id: randomUUID(), message: 'OK', data, status: 'success', success: true },
  });

  function fail(
    status: number,
    cause: ErrorCause,
    { headers = {}, details = {}, credential = '' }: Failing = {},
  ): Answer {
    const { code, message } = profile.error(cause, credential);
    const error = { message, code, ...details };
    return {
      status,
      headers,
      body: { error, data: null, message, status: 'error', success: false, request_id: randomUUID() },
    };
  }

  function refuse({ why, urls, badUrls }: Refused): Answer {
    const headers = why === 'still-running' ? profile.retryAfter(409, now()) : {};
    const details = namesBadUrls && badUrls.length > 0 ? profile.badUrls(urls, badUrls) : {};
    return fail(STATUS[why], why, { headers, details });
  }

  function post(path: string, key: string, bytes: string, slow: boolean): Answer {
    if (path === '/index-check') {
      const checked = records.check(key, bytes, slow);
      return checked.kind === 'refused' ? refuse(checked) : succeed(200, profile.checked(checked.result));
    }
    const submitted = records.submit(key, bytes, slow);
    if (submitted.kind === 'refused') return refuse(submitted);
    const { result, replay } = submitted;
    return succeed(replay ? profile.replayStatus : 202, profile.accepted(result, records.getBalance(), replay));
  }

  function list(query: URLSearchParams): Answer {
    const page = Number(query.get('page') ?? 1);
    const limit = Math.min(Number(query.get('limit') ?? 20), profile.longestPage);
    const [q, url, reference, status] = ['q', 'url', 'reference', 'status'].map((name) => query.get(name));
    const matches = records.jobs.filter(
      (job) =>
        now() - job.at >= listLagMs &&
        (url == null || job.urls.some((each) => profile.url(each) === profile.url(url))) &&
        (q == null ||
          profile.search === 'ignored' ||
          (profile.search === 'project' && profile.project(job.project).includes(q))) &&
        (reference == null || job.reference === reference) &&
        (status == null || job.state === status),
    );
    const ordered = profile.listsFirst === 'oldest' ? matches : matches.toReversed();
    const shown = ordered.slice((page - 1) * limit, page * limit);
    if (shown.length === 0 && page > 1 && profile.noSuchPage) return fail(404, 'no-such-page');
    return succeed(200, profile.list(shown, { page, limit, total: matches.length }));
  }

  function detail(reference: string, query: URLSearchParams): Answer {
    const job = records.findJob(reference);
    if (job === undefined) return fail(404, 'not-found');
    const page = Number(query.get('url_page') ?? 1);
    const limit = Math.min(Number(query.get('url_limit') ?? 100), profile.longestPage);
    return succeed(200, profile.detail(job, { page, limit }));
  }

  function answer(request: IncomingMessage, bytes: string, slow: boolean): Answer {
    const { method, headers } = request;
    const { path, query } = toTarget(request);
    if (path === '/' || path === '') return { status: 200, body: { version: '1.0.0', available: true } };
    if (!isAuthorized(toCredential(request)))
      return fail(401, 'unauthenticated', { credential: toCredential(request) });
    if (method === 'POST') {
      if (headers['content-type'] !== 'application/json') return fail(415, 'not-json');
      return post(path, String(headers['idempotency-key'] ?? ''), bytes, slow);
    }
    if (path === '/balance') return succeed(200, profile.balance(records.getBalance()));
    if (path === '/me' || path === '/stats')
      return succeed(200, { ...profile.balance(records.getBalance()), user: { id: 5 } });
    return path === '/submissions' ? list(query) : detail(toReference(path), query);
  }

  return { answer, fail };
}
