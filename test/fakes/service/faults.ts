import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ErrorCause, Profile } from './profile.ts';

/** What may happen to one request. "Before": it is not carried out; "after": it is. */
export const FAULTS = [
  'drop-before',
  'drop-after',
  'stall-before',
  'stall-after',
  'cut-after',
  'html-200-after',
  'html-502-after',
  'html-429-before',
  'empty-200-after',
  'error-402-before',
  'error-429-before',
  'error-500-before',
  'error-500-after',
  'error-503-before',
  'redirect-before',
  'no-reference-after',
  'contradiction-after',
  'success-false-202-after',
  'wrong-types-after',
  'gzip-after',
  /** Charged and not answered; the next request with the key learns that this one still runs. */
  'slow-commit-after',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a fault needs of the service. */
export interface Serving {
  readonly profile: Profile;
  readonly now: () => number;
  /** Carries the request out; `slow`: the next one with its key finds it running. */
  answer(slow?: boolean): Answer;
  fail(status: number, cause: ErrorCause, more?: { readonly headers?: Record<string, string> }): Answer;
  reply(answer: Answer): void;
}

export function applyFault(fault: Fault, serving: Serving, request: IncomingMessage, response: ServerResponse): void {
  const { profile, now, fail, reply } = serving;
  const done = fault.endsWith('-after') ? serving.answer(fault === 'slow-commit-after') : null;
  const change = (body: object) => reply({ ...done!, body: { ...done!.body, ...body } });
  const sendPage = (status: number, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end('<html><body><h1>Bir hata oluştu</h1></body></html>');
  };
  const actions: Record<Fault, () => void> = {
    'drop-before': () => request.socket.destroy(),
    'drop-after': () => request.socket.destroy(),
    'slow-commit-after': () => request.socket.destroy(),
    'stall-before': () => undefined,
    'stall-after': () => undefined,
    'cut-after': () => cut(done!, request, response),
    'html-200-after': () => sendPage(200),
    'html-502-after': () => sendPage(502),
    'html-429-before': () => sendPage(429, { 'retry-after': '1' }),
    'empty-200-after': () => response.writeHead(200).end(),
    'error-402-before': () => reply(fail(402, 'insufficient-balance')),
    'error-429-before': () => reply(fail(429, 'rate-limited', { headers: profile.retryAfter(429, now()) })),
    'error-500-before': () => reply(fail(500, 'server-error')),
    'error-500-after': () => reply(fail(500, 'server-error')),
    'error-503-before': () => reply(fail(503, 'unavailable', { headers: profile.retryAfter(503, now()) })),
    'redirect-before': () => response.writeHead(307, { location: 'http://127.0.0.1:9/elsewhere' }).end(),
    'no-reference-after': () => change({ data: { message: 'thank you' } }),
    'contradiction-after': () => change({ status: 'error' }),
    'success-false-202-after': () => reply({ ...fail(202, 'server-error'), status: 202 }),
    'wrong-types-after': () => change({ success: 'yes', data: [null, 7] }),
    'gzip-after': () => {
      const { status, body } = done!;
      response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(JSON.stringify(body)));
    },
  };
  actions[fault]();
}

/** Half of the answer arrives. */
function cut({ status, body }: Answer, request: IncomingMessage, response: ServerResponse): void {
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.subarray(0, text.length / 2));
  setImmediate(() => request.socket.destroy());
}
