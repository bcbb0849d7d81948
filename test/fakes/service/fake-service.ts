import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { RateLimits } from '../../../src/rate-limit/limits.ts';
import { createApi, type Target, toReference, toTarget } from './api.ts';
import { type Answer, applyFault, type Fault } from './faults.ts';
import { PLAIN, type Profile } from './profile.ts';
import { createRecords, type FakeRecords, type RecordsOptions } from './records.ts';
import type { Endpoint, Overrides, Reply } from './replies.ts';
import { createStrictLimits } from './strict-limits.ts';

export interface FakeServiceOptions extends Partial<Omit<RecordsOptions, 'reference'>> {
  /** What the specification leaves open; default: plain. */
  readonly profile?: Profile;
  readonly apiKey?: string;
  /** How long the list does not show a new job. */
  readonly listLagMs?: number;
  /** A 422 says which URLs it is about. */
  readonly namesBadUrls?: boolean;
  /** Default: none. */
  readonly limits?: RateLimits;
  readonly overrides?: Overrides;
}

/**
 * The Queued URL Submission Service as the specification has it, over real HTTP and sharing no code with ours. Profiles
 * say what the specification leaves open, faults what happens to single requests, overrides what it answers instead.
 */
export interface FakeService extends FakeRecords {
  readonly port: number;
  readonly baseUrl: string;
  readonly profile: Profile;
  /** Requests in the order in which they arrived, as "POST /submissions". */
  readonly requests: readonly string[];
  /** The Authorization or X-API-Key header of each. */
  readonly credentials: readonly string[];
  /** Requests by endpoint. */
  readonly counts: Readonly<Record<Endpoint, number>>;
  /** How often each kind of answer was given, such as "GET 200". */
  readonly answers: ReadonlyMap<string, number>;
  /** When POSTs were admitted, in epoch milliseconds. */
  readonly posts: readonly number[];
  /** What happens to the next requests, one each; null: nothing. */
  readonly faults: (Fault | null)[];
  /** Moves the service's clock: keys are forgotten. */
  advance(ms: number): void;
  /** From now on the key is revoked, or works again. */
  setKeyWorks(works: boolean): void;
  close(): Promise<void>;
}

export async function startFakeService(
  t: Pick<TestContext, 'after'> | null,
  options: FakeServiceOptions = {},
): Promise<FakeService> {
  const { profile = PLAIN, apiKey, listLagMs = 0, namesBadUrls = false, overrides = {} } = options;
  let skew = 0;
  const now = () => (options.now ?? Date.now)() + skew;
  const records = createRecords({
    reference: profile.reference,
    priceKurus: 25,
    balanceKurus: 100_000_000,
    keyLifeMs: 24 * 3_600_000,
    maxUrls: 5_000,
    refuses: () => false,
    jobMs: null,
    ...options,
    now,
  });
  const admits = options.limits === undefined ? () => true : createStrictLimits(options.limits);
  const requests: string[] = [];
  const credentials: string[] = [];
  const counts = { post: 0, check: 0, detail: 0, list: 0, balance: 0, me: 0 };
  const answers = new Map<string, number>();
  const posts: number[] = [];
  const faults: (Fault | null)[] = [];
  let keyWorks = true;
  const isAuthorized = (credential: string) => keyWorks && (apiKey === undefined || credential === apiKey);
  const { answer, fail } = createApi({ records, profile, now, listLagMs, namesBadUrls, isAuthorized });

  function findOverride(method: string | undefined, { path, query }: Target, key: string, bytes: string): Reply | null {
    const endpoint = toEndpoint(method, path);
    if (endpoint === null) return null;
    const n = ++counts[endpoint];
    const reply = {
      post: () => overrides.post?.(n, key),
      check: () => overrides.check?.(n, key),
      detail: () => overrides.detail?.(n, toReference(path)),
      list: () => overrides.list?.(n, Number(query.get('page') ?? 1)),
      balance: () => overrides.balance?.(n),
      me: () => overrides.me?.(n),
    }[endpoint]();
    if (reply != null && method === 'POST') records.noteBody(key, bytes);
    return reply ?? null;
  }

  function reply(response: ServerResponse, { status, body, headers = {} }: Answer): void {
    const { bytes, encoding } = profile.encode(JSON.stringify(body, null, profile.indent));
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
      ...profile.headers(now()),
      ...headers,
    });
    // In pieces, and so without a length.
    for (let at = 0; at < bytes.length; at += 700) response.write(bytes.subarray(at, at + 700));
    response.end();
  }

  function handle(request: IncomingMessage, response: ServerResponse, bytes: string): void {
    const { method, headers } = request;
    const target = toTarget(request);
    const submits = method === 'POST';
    requests.push(`${method} ${target.path}${target.search}`);
    credentials.push(headers.authorization ?? String(headers['x-api-key'] ?? ''));
    response.on('close', () => {
      const given = `${method} ${response.statusCode}`;
      if (response.headersSent) answers.set(given, (answers.get(given) ?? 0) + 1);
    });
    const arrivedAt = now();
    const serving = {
      profile,
      now,
      fail,
      answer: (slow = false) => answer(request, bytes, slow && submits),
      reply: (given: Answer) => reply(response, given),
    };
    if (!admits(submits, arrivedAt)) {
      serving.reply(fail(429, 'rate-limited'));
      return;
    }
    if (submits) posts.push(arrivedAt);
    const override = findOverride(method, target, String(headers['idempotency-key'] ?? ''), bytes);
    const fault = override === null ? (faults.shift() ?? null) : null;
    if (override !== null) give(override, request, response);
    else if (fault !== null) applyFault(fault, serving, request, response);
    else serving.reply(serving.answer());
  }

  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => undefined);
    request.on('end', () => handle(request, response, Buffer.concat(pieces).toString('utf8')));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  t?.after(close);
  return {
    ...records,
    port,
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    profile,
    requests,
    credentials,
    counts,
    answers,
    posts,
    faults,
    advance(ms) {
      skew += ms;
    },
    setKeyWorks(works) {
      keyWorks = works;
    },
    close,
  };
}

function give(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (typeof reply === 'function') reply(response, request);
  else response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.text);
}

function toEndpoint(method: string | undefined, path: string): Endpoint | null {
  if (method === 'POST') return path === '/index-check' ? 'check' : 'post';
  if (path === '/balance') return 'balance';
  if (path === '/me') return 'me';
  if (path === '/submissions') return 'list';
  return path.startsWith('/submissions/') ? 'detail' : null;
}
