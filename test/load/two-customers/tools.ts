import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What 20 keys may send: 120 requests a minute each, and 10 submissions. */
export const REQUEST_EVERY_MS = 25;
export const SUBMISSION_EVERY_MS = 300;

/** What acts are made of. An act goes on until the next order. */
export interface Tools {
  keyAt(index: number): string;
  /** Works on so many connections at the same time, and again and again. */
  onConnections(count: number, work: (index: number) => Promise<unknown>): Promise<void>;
  /** Begins the work at a steady pace, whether or not the one before has ended. */
  atPace(everyMs: number, work: (index: number) => Promise<unknown>): Promise<void>;
  request(method: string, path: string, key: string, init?: RequestInit): Promise<string>;
  post(key: string, body: string, path?: string, idempotencyKey?: string): Promise<string>;
  /** Opens a connection that ends with the act, and writes. */
  open(text: string): Socket;
  isCurrent(): boolean;
}

const open = new Set<Socket>();
let posts = 0;

export function closeConnections(): void {
  for (const socket of open) socket.destroy();
}

export function makeTools(baseUrl: string, keys: readonly string[], isCurrent: () => boolean): Tools {
  const { hostname, port } = new URL(baseUrl);
  const request: Tools['request'] = (method, path, key, init = {}) =>
    fetch(baseUrl + path, { method, ...init, headers: { 'x-api-key': key, ...init.headers } }).then(
      (response) => response.text(),
      async () => {
        await sleep(20);
        return '';
      },
    );
  return {
    isCurrent,
    request,
    keyAt: (index) => keys[index % keys.length] ?? '',
    async onConnections(count, work) {
      await Promise.all(
        Array.from({ length: count }, async (_, index) => {
          while (isCurrent()) await work(index);
        }),
      );
    },
    async atPace(everyMs, work) {
      const start = performance.now();
      for (let index = 0; isCurrent(); index++) {
        void work(index);
        await sleep(Math.max(0, start + (index + 1) * everyMs - performance.now()));
      }
    },
    post: (key, body, path = '/submissions', idempotencyKey = `hostile-${process.pid}-${++posts}`) =>
      request('POST', path, key, {
        body,
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      }),
    open(text) {
      const socket = connect(Number(port), hostname);
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
      socket.write(text);
      return socket;
    },
  };
}
