import { setTimeout as sleep } from 'node:timers/promises';
import { newKey } from '../../../service/accounts/key-format.ts';
import type { HostileAct } from './acts.ts';
import { FILLED, LARGE } from './request-acts.ts';
import { REQUEST_EVERY_MS, type Tools } from './tools.ts';

const get = (path: string, key: string): string =>
  `GET /api/v1${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;

/** The head of a POST, and the first bytes of its body. */
const beginPost = (key: string): string =>
  `POST /api/v1/submissions HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n` +
  `Idempotency-Key: hostile-upload\r\nContent-Length: ${LARGE}\r\n\r\n{"urls":["`;

const untilOrdered = async ({ isCurrent }: Tools): Promise<void> => {
  while (isCurrent()) await sleep(100);
};

/** What takes connections, and what needs no key. */
export const CONNECTION_ACTS = {
  'slow uploads': async ({ open, keyAt, isCurrent }: Tools) => {
    const sockets = Array.from({ length: 100 }, (_, index) => open(beginPost(keyAt(1 + index))));
    while (isCurrent()) {
      for (const socket of sockets) if (socket.writable) socket.write('x'.repeat(256));
      await sleep(250);
    }
  },
  '60 half bodies': async (tools: Tools) => {
    const half = Buffer.alloc(LARGE / 2, 'https://shop.example/","');
    for (let index = 0; index < 60 && tools.isCurrent(); index++) {
      tools.open(beginPost(tools.keyAt(1 + (index % 6)))).write(half);
      await sleep(50);
    }
    await untilOrdered(tools);
  },
  'aborted uploads': ({ atPace, open, keyAt }: Tools) =>
    atPace(50, async (index) => {
      const socket = open(beginPost(keyAt(1 + (index % 19))));
      socket.write('https://shop.example/","'.repeat(20_000));
      await sleep(100);
      socket.resetAndDestroy();
    }),
  'answers not read': async (tools: Tools) => {
    for (let index = 0; index < 100; index++) {
      tools.open(get(`/submissions/${FILLED}?url_limit=500`, tools.keyAt(1 + (index % 19)))).pause();
    }
    await untilOrdered(tools);
  },
  'idle connections': async (tools: Tools) => {
    for (let index = 0; index < 500; index++) tools.open('GET /api/v1/balance HTTP/1.1\r\n');
    await untilOrdered(tools);
  },
  'a connection for each request': ({ atPace, open, keyAt }: Tools) =>
    atPace(REQUEST_EVERY_MS, async (index) => {
      const socket = open(get('/balance', keyAt(1 + (index % 19))));
      await Promise.race([new Promise((resolve) => socket.once('data', resolve)), sleep(1_000)]);
      socket.destroy();
    }),
  'pipelined requests': ({ atPace, open, keyAt }: Tools) =>
    atPace(50 * REQUEST_EVERY_MS, async (index) => {
      const socket = open(get('/stats', keyAt(1 + (index % 19))).repeat(50)).resume();
      await sleep(1_000);
      socket.destroy();
    }),
  'malformed HTTP': ({ onConnections, open }: Tools) =>
    onConnections(20, async () => {
      const socket = open('NOT HTTP AT ALL\r\n\r\n');
      await Promise.race([new Promise((resolve) => socket.once('close', resolve)), sleep(1_000)]);
    }),
  'invented keys': ({ onConnections, request }: Tools) => onConnections(40, () => request('GET', '/balance', newKey())),
} satisfies Partial<Record<HostileAct, (tools: Tools) => Promise<void>>>;
