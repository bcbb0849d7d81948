import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeck } from '../support/seeded.ts';

/** What the proxy may do to a request. "After" means that the service has done its work by then. */
export const FAULTS = [
  'drop-before',
  'drop-after',
  'cut',
  'html',
  'rate-limit',
  'unavailable',
  'stall',
  'late',
  'error-after',
  'too-large',
] as const;
export type Fault = (typeof FAULTS)[number];
/** They are of no interest where nothing is bought. */
const OF_POSTS: readonly Fault[] = ['late', 'too-large'];

export interface ProxyOptions {
  /** host:port of the service; asked for each request, because the service may be restarted on another port. */
  readonly target: () => { host: string; port: number };
  readonly random: () => number;
  /** Share of requests that meet a fault, 0 to 1; index-checks may have another one. */
  readonly share: (check: boolean) => number;
  /** Which; default: all. */
  readonly faults?: readonly Fault[];
  readonly stallMs: number;
  /** A refusal that depends on the content alone, so that it comes every time: bad URLs, batches that are too large. */
  readonly refuses: (body: string) => 422 | 413 | null;
  /** Whether the gateway refuses the key of every request now, with 401. */
  readonly refusesKey?: () => boolean;
}

export interface FaultProxy {
  readonly port: number;
  /** What was done so far, by fault; "check cut" and the like are those of index-checks. */
  readonly done: ReadonlyMap<string, number>;
  /** Answers that were begun at least, as "POST 202", and when the POSTs among them came in. */
  readonly answers: ReadonlyMap<string, number>;
  readonly posts: readonly number[];
  /** Bodies by idempotency key, as they came in: a key with two bodies is a breach. */
  readonly bodies: ReadonlyMap<string, ReadonlySet<string>>;
  close(): Promise<void>;
}

/** Stands between the connector and the service and does what networks and gateways do, by seed. */
export async function startFaultProxy(options: ProxyOptions): Promise<FaultProxy> {
  const done = new Map<string, number>();
  const bodies = new Map<string, Set<string>>();
  const answers = new Map<string, number>();
  const posts: number[] = [];
  const faults = options.faults ?? FAULTS;
  const ofPosts = createDeck(options.random, faults);
  const reading = faults.filter((fault) => !OF_POSTS.includes(fault));
  const ofReads = reading.length === 0 ? () => null : createDeck(options.random, reading);
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('error', () => undefined);
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      remember(bodies, incoming, body);
      const refusal = incoming.method === 'POST' ? options.refuses(body.toString('utf8')) : null;
      const fault =
        options.random() < options.share(isCheck(incoming))
          ? incoming.method === 'POST'
            ? ofPosts()
            : ofReads()
          : null;
      if (incoming.method === 'POST') posts.push(Date.now());
      outgoing.on('close', () => {
        if (!outgoing.headersSent) return;
        const answer = `${incoming.method} ${outgoing.statusCode}`;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      });
      if (options.refusesKey?.()) {
        outgoing.writeHead(401, { 'content-type': 'application/json' }).end(envelope('unauthorized'));
        return;
      }
      if (fault !== null && (fault !== 'too-large' || isLargeBatch(incoming, body))) {
        const label = isCheck(incoming) ? `check ${fault}` : fault;
        done.set(label, (done.get(label) ?? 0) + 1);
      }
      handle(fault, refusal, incoming, body, outgoing, options);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    done,
    answers,
    posts,
    bodies,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function remember(bodies: Map<string, Set<string>>, incoming: IncomingMessage, body: Buffer): void {
  const key = incoming.headers['idempotency-key'];
  if (typeof key !== 'string') return;
  bodies.set(key, (bodies.get(key) ?? new Set()).add(body.toString('utf8')));
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

function handle(
  fault: Fault | null,
  refusal: 422 | 413 | null,
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
  options: ProxyOptions,
): void {
  const give = (status: number, type: string, text: string, headers: Record<string, string> = {}) =>
    outgoing.writeHead(status, { 'content-type': type, ...headers }).end(text);
  switch (fault) {
    case 'drop-before':
      outgoing.destroy();
      return;
    case 'html':
      give(200, 'text/html', '<html><body>Please sign in to the hotel network</body></html>');
      return;
    case 'too-large':
      // A gateway that refuses this once what it lets through at another time.
      if (isLargeBatch(incoming, body)) give(413, 'text/html', '<h1>413 Request Entity Too Large</h1>');
      else pass();
      return;
    case 'rate-limit':
      give(429, 'application/json', envelope('rate_limited'), { 'retry-after': '1' });
      return;
    case 'unavailable':
      give(503, 'application/json', envelope('unavailable'), { 'retry-after': '1' });
      return;
    case 'late':
      // The client has given up and perhaps asked again by the time that the service gets this.
      setTimeout(() => {
        if (refusal === null) forward(incoming, body, options).catch(() => undefined);
        outgoing.destroy();
      }, options.stallMs * 2.2);
      return;
    default:
      pass();
  }

  function pass(): void {
    (refusal === null ? forward(incoming, body, options) : Promise.resolve(refused(refusal)))
      .then((answer) => deliver(fault, answer, outgoing, options))
      .catch(() => outgoing.destroy());
  }
}

const isCheck = ({ url }: IncomingMessage): boolean => url?.endsWith('/index-check') === true;

/** Halves of one URL would be quarantined for it. */
function isLargeBatch({ method, url }: IncomingMessage, body: Buffer): boolean {
  if (method !== 'POST' || !url?.endsWith('/submissions')) return false;
  return (JSON.parse(body.toString('utf8')) as { urls: string[] }).urls.length > 4;
}

function deliver(fault: Fault | null, answer: Answer, outgoing: ServerResponse, { stallMs }: ProxyOptions): void {
  switch (fault) {
    case 'drop-after':
      outgoing.destroy();
      return;
    case 'error-after':
      outgoing.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
      return;
    case 'cut':
      outgoing.writeHead(answer.status, answer.headers);
      outgoing.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () => outgoing.destroy());
      return;
    case 'stall': {
      const timer = setTimeout(() => outgoing.writeHead(answer.status, answer.headers).end(answer.body), stallMs);
      outgoing.on('close', () => clearTimeout(timer));
      return;
    }
    default:
      outgoing.writeHead(answer.status, answer.headers).end(answer.body);
  }
}

function forward(incoming: IncomingMessage, body: Buffer, { target }: ProxyOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { host, port } = target();
    const { connection: _, 'transfer-encoding': __, ...headers } = incoming.headers;
    const asked = request(
      {
        host,
        port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...headers, 'content-length': body.length },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { 'transfer-encoding': ___, connection: ____, ...kept } = response.headers;
          resolve({ status: response.statusCode ?? 502, headers: kept, body: Buffer.concat(chunks) });
        });
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(incoming.method === 'GET' ? undefined : body);
  });
}

const refused = (status: 422 | 413): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(envelope(status === 422 ? 'validation_error' : 'payload_too_large')),
});

const envelope = (code: string): string =>
  JSON.stringify({
    success: false,
    status: 'error',
    message: code,
    data: null,
    error: { code, message: code },
    request_id: 'req_proxy',
  });
