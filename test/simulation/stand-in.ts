import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RateLimits, Window } from '../../src/rate-limit/limits.ts';
import type { ServerSide } from './server-side.ts';

export interface StandInOptions {
  readonly limits: RateLimits;
  /** How long the n-th job takes, in milliseconds. */
  readonly jobMs: (n: number) => number;
}

interface Job {
  readonly reference: string;
  readonly digest: string;
  readonly urls: number;
  readonly at: number;
  readonly takesMs: number;
}

/**
 * The service's submissions without its queue, database and headers: what is left costs so little that a machine which
 * also runs Temporal and three workers can serve a day in minutes. It counts as strictly as a service can, to the
 * millisecond in every window, and tells nobody what is left.
 */
export async function startStandIn({ limits, jobMs }: StandInOptions): Promise<ServerSide> {
  const jobs: Job[] = [];
  const byKey = new Map<string, Job>();
  const answers = new Map<string, number>();
  const posts: number[] = [];
  const requests: number[] = [];

  const give = (request: IncomingMessage, response: ServerResponse, status: number, data: unknown) => {
    const answer = `${request.method} ${status}`;
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(envelope(status, data)));
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const submits = request.method === 'POST';
    const now = Date.now();
    const general = [limits.minute, limits.hour, limits.day].some((window) => isFull(requests, window, now));
    if (general || (submits && isFull(posts, limits.submissions, now))) return give(request, response, 429, null);
    requests.push(now);
    if (submits) posts.push(now);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://service');
    if (submits) {
      const { status, job } = submit(String(request.headers['idempotency-key']), await text(request), now);
      return give(request, response, status, job === undefined ? null : shown(job, now));
    }
    const reference = pathname.split('/submissions/')[1];
    if (reference === undefined) {
      const page = Number(searchParams.get('page') ?? 1);
      const limit = Number(searchParams.get('limit') ?? 20);
      const end = Math.max(jobs.length - (page - 1) * limit, 0);
      const listed = jobs.slice(Math.max(end - limit, 0), end).toReversed();
      const pagination = { page, limit, total: jobs.length, total_pages: Math.ceil(jobs.length / limit) };
      return give(request, response, 200, { submissions: listed.map((job) => shown(job, now)), pagination });
    }
    const job = jobs[Number(reference.slice(1))];
    give(request, response, job === undefined ? 404 : 200, job === undefined ? null : shown(job, now));
  }

  function submit(key: string, body: string, at: number): { status: number; job?: Job } {
    const digest = createHash('sha256').update(body).digest('hex');
    const known = byKey.get(key);
    if (known !== undefined) return known.digest === digest ? { status: 200, job: known } : { status: 409 };
    const { urls } = JSON.parse(body) as { urls: string[] };
    const n = jobs.length;
    const job = { reference: `J${n}`, digest, urls: urls.length, at, takesMs: jobMs(n) };
    jobs.push(job);
    byKey.set(key, job);
    return { status: 202, job };
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    answers,
    posts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const isFull = (times: readonly number[], { limit, lengthMs }: Window, now: number): boolean =>
  times.length >= limit && now - times.at(-limit)! < lengthMs;

const stateOf = (age: number, takes: number): string =>
  age >= takes ? 'completed' : age >= takes / 3 ? 'processing' : 'queued';

const shown = ({ reference, urls, at, takesMs }: Job, now: number) => ({
  reference,
  status: stateOf(now - at, takesMs),
  service: 'fast',
  url_count: urls,
  price_per_url: 0.25,
  charged: urls * 0.25,
  created_at: new Date(at).toISOString(),
});

const envelope = (status: number, data: unknown) =>
  status < 300
    ? { success: true, status: 'success', message: 'ok', data, request_id: 'req_stand_in' }
    : { success: false, status: 'error', message: 'no', data: null, error: { code: 'no', message: 'no' } };
